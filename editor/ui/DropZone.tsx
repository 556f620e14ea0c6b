import { Upload } from 'lucide-react';
import { useRef, useState } from 'react';
import { cx } from './cx.ts';
import { Spinner } from './Spinner.tsx';

interface DropZoneProps {
  label: string;
  many: boolean;
  /** Media types, such as `image/*`, of the files to choose from. */
  accept?: readonly string[] | undefined;
  busy?: boolean | undefined;
  onFiles(files: readonly File[]): void;
}

/** Where files are chosen, or dropped. */
export function DropZone({ label, many, accept = [], busy = false, onFiles }: DropZoneProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const take = (list: FileList | null): void => {
    const chosen = [...(list ?? [])];
    if (chosen.length > 0) onFiles(chosen);
  };
  const offer = many ? 'Choose files, or drop them here' : 'Choose a file, or drop it here';
  const text = busy ? 'Uploading…' : offer;
  return (
    <>
      <button
        type="button"
        aria-label={`${text}: ${label}`}
        aria-busy={busy || undefined}
        disabled={busy}
        onClick={() => input.current?.click()}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          take(event.dataTransfer.files);
        }}
        className={cx(
          'flex items-center justify-center gap-2 rounded-md border border-dashed p-3 text-xs text-text-2 hover:text-text',
          isOver ? 'border-accent bg-accent-soft' : 'border-line-strong',
        )}
      >
        {busy ? <Spinner /> : <Upload aria-hidden className="size-3.5" />}
        {text}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={many}
        accept={accept.length > 0 ? accept.join(',') : undefined}
        aria-label={`Files of ${label}`}
        onChange={(event) => {
          take(event.currentTarget.files);
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
