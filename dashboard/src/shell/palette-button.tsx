/** Opens the palette, also by Ctrl or ⌘ K. The palette is loaded when it is first opened. */
import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { type ReactNode, useState } from 'react';
import { recoverAsset } from './lazy.tsx';
import classes from './palette.module.css';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

type Part = typeof import('./palette.tsx')['Palette'];

export function PaletteButton(): ReactNode {
  const [Palette, setPalette] = useState<Part | null>(null);
  const [isOpen, setOpen] = useState(false);
  const open = async () => {
    const loaded = await import('./palette.tsx').catch(recoverAsset);
    if (typeof loaded === 'string') return;
    setPalette(() => loaded.Palette);
    setOpen(true);
  };
  useHotkeys([['mod+K', () => void open()]], []);
  return (
    <>
      <UnstyledButton
        className={classes.button ?? ''}
        aria-haspopup="dialog"
        onClick={() => void open()}
      >
        <VisuallyHidden>Search and commands</VisuallyHidden>
        <MagnifyingGlassIcon aria-hidden />
        <span className={classes.buttonText} aria-hidden>
          Search
        </span>
        <kbd className={classes.buttonText ?? ''} aria-hidden>
          {isMac ? '⌘K' : 'Ctrl K'}
        </kbd>
      </UnstyledButton>
      {Palette && isOpen ? <Palette onClose={() => setOpen(false)} /> : null}
    </>
  );
}
