import { X } from 'lucide-react';
import { useContext, useEffect, useRef, useState } from 'react';
import type { FileValue } from '#shared/file.ts';
import { type FileLimits, limitsText, takesType } from '#shared/wait-form.ts';
import { ApiError } from '../api/client.ts';
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

interface Upload {
  readonly file: File;
  /** Stops it, and those that were chosen together with it. */
  stop(): void;
}

/** Files that are uploaded as soon as they are chosen, or dropped. */
export function UploadedFiles({ label, limits, files, onFiles }: UploadedFilesProps) {
  const [underway, setUnderway] = useState<readonly Upload[]>([]);
  const [fault, setFault] = useState<string>();
  const many = limits.most > 1;
  const uploads = useContext(FormUploads);
  // While some are on their way, others can be removed.
  const now = useRef(files);
  useEffect(() => {
    now.current = files;
  });

  // An upload whose field is gone has nobody who waits for it.
  const all = useRef(underway);
  useEffect(() => {
    all.current = underway;
  });
  useEffect(() => () => all.current.forEach(({ stop }) => stop()), []);

  async function take(chosen: readonly File[]): Promise<void> {
    const wanted = many ? chosen : chosen.slice(0, 1);
    const problem = faultOf(wanted, limits, many ? files.length : 0);
    setFault(problem);
    if (problem !== undefined) return;
    const stopping = new AbortController();
    const started = wanted.map((file) => ({ file, stop: () => stopping.abort() }));
    setUnderway(started);
    try {
      const sent = wanted.map((file) => uploadFile(file, stopping.signal));
      const stored = await counted(uploads, Promise.all(sent));
      const wrong = stored.find(({ type }) => !takesType(limits, type));
      if (wrong) setFault(`${wrong.name} is ${wrong.type}, which does not fit here.`);
      else onFiles(many ? [...now.current, ...stored] : stored);
    } catch (error) {
      if (!stopping.signal.aborted) setFault(refusalOf(error));
      // The others would be stored for nobody.
      stopping.abort();
    }
    setUnderway([]);
  }

  return (
    <div className="flex flex-col gap-1">
      <DropZone
        label={label}
        many={many}
        accept={limits.accept}
        busy={underway.length > 0}
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
      {underway.map(({ file, stop }, i) => (
        <div key={i} className="flex items-center gap-2 text-xs text-text-2">
          <bdi className="min-w-0 flex-1 truncate">{file.name}</bdi>
          <span>{bytesText(file.size)}</span>
          <IconButton size="sm" icon={X} label={`Cancel the upload of ${file.name}`} onClick={stop} />
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

/** A file that did not arrive is kept nowhere, unlike a change of a flow. */
function refusalOf(error: unknown): string {
  if (!(error instanceof ApiError)) return 'The file could not be read. Choose it again.';
  if (error.code !== 'offline') return error.message;
  return 'The server cannot be reached. Choose the file again once it is back.';
}
