/**
 * The palette: actions, pages, recent tasks, and a search of tasks, accounts and people. It stays
 * in its place while its results change.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import classes from './palette.module.css';
import { type PaletteItem, usePaletteSections } from './palette-items.tsx';
import menu from './popover-menu.module.css';

export function Palette({ onClose }: { onClose(): void }): ReactNode {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  const [selected, setSelected] = useState(0);
  const { sections, isSearching } = usePaletteSections(query);
  const items = sections.flatMap(([, shown]) => shown);
  const at = Math.min(selected, items.length - 1);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Returns the focus to where it was.
    return () => element?.close();
  }, []);
  const run = (item: PaletteItem | undefined) => {
    if (item === undefined) return;
    onClose();
    item.run();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') run(items[at]);
    if (step === undefined || items.length === 0) return;
    event.preventDefault();
    const next = (at + step + items.length) % items.length;
    setSelected(next);
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={dialog}
      className={classes.palette}
      aria-label="Search and commands"
      onClose={onClose}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      <input
        className={classes.input}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={items[at] ? `${id}-${at}` : undefined}
        aria-label="Search"
        placeholder="Search, or type a command"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onKeyDown={press}
        onChange={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setSelected(0);
        }}
      />
      <div id={id} role="listbox" aria-label="Results" className={classes.list}>
        {sections.map(([title, shown]) => (
          // biome-ignore lint/a11y/useSemanticElements: the group of a listbox
          <div key={title} role="group" aria-label={title}>
            <div className={menu.heading} aria-hidden>
              {title}
            </div>
            {shown.map((item) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus
              // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus
              <div
                key={items.indexOf(item)}
                id={`${id}-${items.indexOf(item)}`}
                role="option"
                aria-selected={item === items[at]}
                className={menu.item}
                onClick={() => run(item)}
                onMouseMove={() => setSelected(items.indexOf(item))}
              >
                <item.icon aria-hidden />
                <span className={menu.label}>{item.label}</span>
                {item.detail ? <span className={classes.detail}>{item.detail}</span> : null}
              </div>
            ))}
          </div>
        ))}
      </div>
      <div role="status" className={menu.heading}>
        {isSearching ? 'Searching…' : items.length === 0 ? 'No results' : null}
      </div>
    </dialog>
  );
}
