/**
 * The script of the guides, the reference and /verify; the service serves it joined with its
 * modules.
 */
import { addCopyButtons } from './copy-buttons.mjs';
import { showReference } from './reference.mjs';
import { connectThemeMenu } from './theme-menu.mjs';
import { connectVerifyForm } from './verify-form.mjs';

connectThemeMenu();
addCopyButtons();
connectVerifyForm();
await showReference();
