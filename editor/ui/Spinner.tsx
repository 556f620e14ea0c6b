import { LoaderCircle } from 'lucide-react';

/** Shows activity; give it a label if there is no text beside it. */
export function Spinner({ label, className = 'size-4' }: { label?: string; className?: string }) {
  return (
    <span role={label ? 'status' : undefined} className="inline-flex shrink-0">
      <LoaderCircle aria-hidden className={`animate-spin ${className}`} />
      {label && <span className="sr-only">{label}</span>}
    </span>
  );
}
