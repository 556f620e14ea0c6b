import { File as FileIcon, X } from 'lucide-react';
import { PICTURE } from '#shared/chat-item.ts';
import type { FileValue } from '#shared/file.ts';
import { conversationFileAt } from '../api/files.ts';
import { bytesText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import type { Attachment, Attachments } from './attachments.ts';

interface ChosenFilesProps {
  files: Attachments;
  conversation: string;
}

/** The files of the message that is being written, and why others were not taken. */
export function ChosenFiles({ files: { all, fault, remove }, conversation }: ChosenFilesProps) {
  if (all.length === 0 && fault === undefined) return null;
  return (
    <div className="mx-auto mb-2 flex max-w-190 flex-col gap-2">
      <ul aria-label="Files to send" hidden={all.length === 0} className="flex flex-wrap gap-1.5">
        {all.map((file) => (
          <Chip key={file.key} file={file} conversation={conversation} onRemove={() => remove(file.key)} />
        ))}
      </ul>
      {fault !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {fault}
        </p>
      )}
    </div>
  );
}

interface ChipProps {
  file: Attachment;
  conversation: string;
  onRemove(): void;
}

function Chip({ file: { name, bytes, value }, conversation, onRemove }: ChipProps) {
  return (
    <li className="flex max-w-full min-w-0 items-center gap-2 rounded-md border border-line bg-surface-2 py-1 pr-1 pl-1.5 text-xs">
      {value === undefined ? (
        <Spinner label={`${name} is being uploaded`} />
      ) : (
        <Thumbnail file={value} conversation={conversation} />
      )}
      <span className="min-w-0 truncate" title={name}>
        {name}
      </span>
      <span className="shrink-0 text-text-2">{bytesText(bytes)}</span>
      <IconButton size="sm" icon={X} label={`Remove ${name}`} onClick={onRemove} />
    </li>
  );
}

function Thumbnail({ file, conversation }: { file: FileValue; conversation: string }) {
  if (!PICTURE.test(file.type)) return <FileIcon aria-hidden className="size-4 shrink-0 text-text-2" />;
  return (
    <img
      src={conversationFileAt(conversation, file)}
      alt=""
      className="size-8 shrink-0 rounded-sm object-cover"
    />
  );
}

/** The files of a message that was sent; each link downloads one. */
export function SentFiles({ files, conversation }: { files: readonly FileValue[]; conversation: string }) {
  return (
    <ul aria-label="Files" className="ml-auto flex max-w-[85%] flex-wrap justify-end gap-1.5">
      {files.map((file) => (
        <li key={file.$file} className="max-w-full min-w-0">
          <a
            href={conversationFileAt(conversation, file)}
            download={file.name}
            className="flex max-w-full min-w-0 flex-col gap-1 rounded-md border border-line bg-surface-2 p-1.5 text-xs hover:border-line-strong"
          >
            {PICTURE.test(file.type) && (
              <img
                src={conversationFileAt(conversation, file)}
                alt=""
                loading="lazy"
                className="max-h-48 max-w-full self-end rounded-sm object-contain"
              />
            )}
            <span className="flex min-w-0 items-center gap-2">
              <FileIcon aria-hidden className="size-4 shrink-0 text-text-2" />
              <span className="min-w-0 truncate">
                <span className="sr-only">Download </span>
                {file.name}
              </span>
              <span className="shrink-0 text-text-2">{bytesText(file.bytes)}</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
