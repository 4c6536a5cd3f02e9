/** Opens the palette, also by Ctrl or ⌘ K. It is loaded after the page, before it is opened. */
import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useEffect, useState } from 'react';
import { recoverAsset } from './lazy.tsx';
import classes from './palette.module.css';

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

type Part = typeof import('./palette.tsx')['Palette'];

/** The page comes first. */
const loadDelayMs = 1000;

const load = () => import('./palette.tsx');

export function PaletteButton() {
  const [Palette, setPalette] = useState<Part | null>(null);
  const [isOpen, setOpen] = useState(false);
  const open = async () => {
    const loaded = await load().catch(recoverAsset);
    if (typeof loaded === 'string') return;
    setPalette(() => loaded.Palette);
    setOpen(true);
  };
  // What is typed while it is being loaded would be lost.
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => {}), loadDelayMs);
    return () => clearTimeout(timer);
  }, []);
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
