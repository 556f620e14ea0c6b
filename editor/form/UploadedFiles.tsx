import { X } from 'lucide-react';
import { useContext, useEffect, useRef, useState } from 'react';
import type { FileValue } from '#shared/file.ts';
import { type FileLimits, limitsText, takesType } from '#shared/wait-form.ts';
import { uploadFile } from '../api/files.ts';
import { DropZone } from '../ui/DropZone.tsx';
import { bytesText, countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { counted, FormUploads } from './uploads.ts';

interface UploadedFilesProps {
  label: string;
  limits: FileLimits;
  files: readonly FileValue[];
  onFiles(files: readonly FileValue[]): void;
}

/** Files that are uploaded as soon as they are chosen, or dropped. */
export function UploadedFiles({ label, limits, files, onFiles }: UploadedFilesProps) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const many = limits.most > 1;
  const uploads = useContext(FormUploads);
  // While some are on their way, others can be removed.
  const now = useRef(files);
  useEffect(() => {
    now.current = files;
  });

  async function take(chosen: readonly File[]): Promise<void> {
    const wanted = many ? chosen : chosen.slice(0, 1);
    const problem = faultOf(wanted, limits, many ? files.length : 0);
    setFault(problem);
    if (problem !== undefined) return;
    setBusy(true);
    try {
      const stored = await counted(uploads, Promise.all(wanted.map(uploadFile)));
      const wrong = stored.find(({ type }) => !takesType(limits, type));
      if (wrong) setFault(`${wrong.name} is ${wrong.type}, which does not fit here.`);
      else onFiles(many ? [...now.current, ...stored] : stored);
    } catch (error) {
      setFault((error as Error).message);
    }
    setBusy(false);
  }

  return (
    <div className="flex flex-col gap-1">
      <DropZone
        label={label}
        many={many}
        accept={limits.accept}
        busy={busy}
        onFiles={(all) => void take(all)}
      />
      <p className="text-xs text-text-2">{limitsText(limits)}</p>
      {files.map((file) => (
        <div key={file.$file} className="flex items-center gap-2 text-xs">
          <span className="min-w-0 flex-1 truncate">{file.name}</span>
          <span className="text-text-2">{bytesText(file.bytes)}</span>
          <IconButton
            size="sm"
            icon={X}
            label={`Remove ${file.name}`}
            onClick={() => onFiles(files.filter(({ $file }) => $file !== file.$file))}
          />
        </div>
      ))}
      {fault !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {fault}
        </p>
      )}
    </div>
  );
}

/** What the server need not be asked. It looks into the files; a browser guesses their types by their names. */
function faultOf(files: readonly File[], { maxBytes, most }: FileLimits, before: number): string | undefined {
  if (files.length + before > most) return `At most ${countText(most, 'file')} can be added.`;
  const large = files.find(({ size }) => size > maxBytes);
  return large && `${large.name} has ${bytesText(large.size)}; at most ${bytesText(maxBytes)} are accepted.`;
}
