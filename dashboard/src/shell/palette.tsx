/**
 * The palette: actions, pages, recent tasks, and a search of tasks, accounts and people. It stays
 * in its place while its results change, and so does the selection.
 */
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import classes from './palette.module.css';
import { type PaletteItem, usePaletteSections } from './palette-items.tsx';
import menu from './popover-menu.module.css';

export function Palette({ onClose }: { onClose(): void }) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [query, setQuery] = useState('');
  /** Its ID; the first item while there is none with it. */
  const [selected, setSelected] = useState('');
  const { sections, isSearching } = usePaletteSections(query);
  const items = sections.flatMap(([, shown]) => shown);
  const selectedIndex = items.findIndex((item) => item.id === selected);
  const at = Math.max(selectedIndex, 0);
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
    const next = step && items[(at + step + items.length) % items.length];
    if (!next) return;
    event.preventDefault();
    setSelected(next.id);
    document.getElementById(`${id}-${next.id}`)?.scrollIntoView({ block: 'nearest' });
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it
    <dialog
      ref={dialog}
      className={classes.palette}
      aria-label="Search and commands"
      // React’s strict mode closes and opens it again before the event arrives.
      onClose={() => dialog.current?.open || onClose()}
      onClick={({ target }) => target === dialog.current && onClose()}
    >
      <input
        className={classes.input}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={items[at] ? `${id}-${items[at].id}` : undefined}
        aria-label="Search"
        placeholder="Search, or type a command"
        autoComplete="off"
        spellCheck={false}
        value={query}
        onKeyDown={press}
        onChange={({ currentTarget }) => {
          setQuery(currentTarget.value);
          setSelected('');
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
                key={item.id}
                id={`${id}-${item.id}`}
                role="option"
                aria-selected={item === items[at]}
                className={menu.item}
                onClick={() => run(item)}
                onMouseMove={() => setSelected(item.id)}
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
