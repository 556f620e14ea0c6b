import { keyNames } from './keys.ts';

/** A key combination (`Mod+Shift+Z`) as on this computer's keyboard. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className="inline-flex shrink-0 gap-0.5" aria-hidden>
      {keyNames(keys).map((name) => (
        <kbd
          key={name}
          className="rounded border border-line bg-surface-2 px-1 font-sans text-[11px] leading-4 text-text-2"
        >
          {name}
        </kbd>
      ))}
    </span>
  );
}
