import { X } from 'lucide-react';
import type { FileField } from '../model/form/files-in.ts';
import { useSession } from '../session/session.tsx';
import { DropZone } from '../ui/DropZone.tsx';
import { bytesText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { testerOf } from './tester.ts';
import { useTester } from './use-tester.ts';

/** The files of a request to try: chosen, or dropped onto their field. */
export function FileFields({ fields }: { fields: readonly FileField[] }) {
  return (
    <>
      {fields.map((field) => (
        <FileDrop key={field.name} field={field} />
      ))}
    </>
  );
}

function FileDrop({ field: { name, many, required } }: { field: FileField }) {
  const store = testerOf(useSession());
  const files = useTester((state) => state.files[name]) ?? NONE;
  const label = name === '' ? 'Body' : name;

  function set(next: readonly File[]): void {
    store.setState((state) => ({ files: { ...state.files, [name]: next } }));
  }

  return (
    <div role="group" aria-label={label} className="flex flex-col gap-1">
      <span className="text-xs font-medium">
        {label}{' '}
        <span className="font-normal text-text-2">
          {many ? 'files' : 'file'}
          {required && ', required'}
        </span>
      </span>
      <DropZone
        label={label}
        many={many}
        onFiles={(chosen) => set(many ? [...files, ...chosen] : chosen.slice(0, 1))}
      />
      {files.map((file, i) => (
        <div key={`${i}${file.name}`} className="flex items-center gap-2 text-xs">
          <span className="min-w-0 flex-1 truncate">{file.name}</span>
          <span className="text-text-2">{bytesText(file.size)}</span>
          <IconButton
            size="sm"
            icon={X}
            label={`Remove ${file.name}`}
            onClick={() => set(files.filter((_, at) => at !== i))}
          />
        </div>
      ))}
    </div>
  );
}

const NONE: readonly File[] = [];
