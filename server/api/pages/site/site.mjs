/** The script of the guides and the reference; the service serves it joined with its modules. */
import { addCopyButtons } from './copy-buttons.mjs';
import { showReference } from './reference.mjs';
import { connectThemeMenu } from './theme-menu.mjs';

connectThemeMenu();
addCopyButtons();
await showReference();
