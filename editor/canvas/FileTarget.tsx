import { FileJson } from 'lucide-react';
import { useCanvas } from './canvas-store.ts';

/** Says that a file can be dropped here. */
export function FileTarget() {
  const over = useCanvas((s) => s.fileOver);
  if (!over) return null;
  return (
    <div className="pointer-events-none absolute inset-2 z-30 flex items-center justify-center gap-2 rounded-lg border-2 border-dashed border-accent bg-surface/85 text-[15px] font-semibold">
      <FileJson aria-hidden className="size-5 text-accent" />
      Drop the flow file to import it
    </div>
  );
}
