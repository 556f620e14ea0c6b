interface TickProps {
  label: string;
  checked: boolean;
  onCheckedChange(checked: boolean): void;
}

/** The browser's own box to tick, for the many rows of a first page; forms have `Checkbox`. Fingers get it in full size. */
export function Tick({ label, checked, onCheckedChange }: TickProps) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={checked}
      onChange={(event) => onCheckedChange(event.target.checked)}
      className="block size-6 scale-[0.7] pointer-coarse:scale-100 cursor-default accent-(--accent)"
    />
  );
}
