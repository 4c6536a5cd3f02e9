/** Examines the installation from inside, as `npm run doctor` does from outside. */
import { DoctorResponse } from '@vidgen/contract/admin-doctor.ts';
import { endpoint } from '../http/endpoint.ts';

const findings = [
  { area: 'database', level: 'ok', message: 'Notifications arrive', remedy: null },
  {
    area: 'public URL',
    level: 'warning',
    message: 'VIDGEN_PUBLIC_URL is not set: URLs of results work on this machine only',
    remedy: 'Set it to the URL under which clients and providers reach this service.',
  },
];

export const getFindings = endpoint({
  operationId: 'getFindings',
  method: 'GET',
  path: '/admin/doctor',
  summary: 'Check the installation',
  description:
    'As seen by the process that handles the request. Connects to the providers without sending ' +
    'anything, writes and deletes a file, and renders one second of preview.',
  auth: 'admin',
  sessionLimit: { purpose: 'doctor', perMinute: 6 },
  responses: {
    200: {
      description: 'The findings, each with its remedy.',
      schema: DoctorResponse,
      examples: { local: ['A local installation', { findings }] },
    },
  },
  handler: async ({ findings: examine }) => ({ body: { findings: [...(await examine())] } }),
});
