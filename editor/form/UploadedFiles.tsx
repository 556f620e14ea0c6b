import { X } from 'lucide-react';
import type { FileValue } from '#shared/file.ts';
import { type FileLimits, limitsText } from '#shared/wait-form.ts';
import { DropZone } from '../ui/DropZone.tsx';
import { bytesText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { type Upload, useTaking } from './use-taking.ts';

interface UploadedFilesProps {
  label: string;
  limits: FileLimits;
  files: readonly FileValue[];
  onFiles(files: readonly FileValue[]): void;
}

/** Files that are uploaded as soon as they are chosen, or dropped. */
export function UploadedFiles({ label, limits, files, onFiles }: UploadedFilesProps) {
  const { underway, fault, take } = useTaking({ limits, files, onFiles });
  return (
    <div className="flex flex-col gap-1">
      <DropZone
        label={label}
        many={limits.most > 1}
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
      <Underway uploads={underway} />
      {fault !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {fault}
        </p>
      )}
    </div>
  );
}

function Underway({ uploads }: { uploads: readonly Upload[] }) {
  return uploads.map(({ file, stop }, i) => (
    <div key={i} className="flex items-center gap-2 text-xs text-text-2">
      <bdi className="min-w-0 flex-1 truncate">{file.name}</bdi>
      <span>{bytesText(file.size)}</span>
      <IconButton size="sm" icon={X} label={`Cancel the upload of ${file.name}`} onClick={stop} />
    </div>
  ));
}
