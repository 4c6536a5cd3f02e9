/** Schemas of the names of models and resolutions. Which there are is data of the installation. */
import { z } from 'zod';
import { modelNamePattern, resolutionPattern } from './models.ts';

export const ModelId = z
  .string()
  .regex(modelNamePattern, 'must be the name of a model, such as kling-3 or acme/tiny')
  .meta({ examples: ['vidgen-2-5'] });

export const ResolutionName = z
  .string()
  .regex(resolutionPattern, 'must be the name of a resolution, such as 720p or 4k')
  .meta({ examples: ['720p'] });
