/** A dialog that a URL can open, so that a link or the palette leads to it. */
import { useNavigate, useSearch } from '@tanstack/react-router';

export type DialogName = 'create-key' | 'invite' | 'add-credits';

/** Without a name, no URL opens it. */
export function useUrlDialog(name: DialogName | undefined) {
  const { dialog } = useSearch({ strict: false });
  const navigate = useNavigate();
  const setOpen = (isOpen: boolean) =>
    void navigate({
      to: '.',
      search: ((before: object) => ({ ...before, dialog: isOpen ? name : undefined })) as never,
      replace: true,
      resetScroll: false,
    });
  return [name !== undefined && dialog === name, setOpen] as const;
}
