import { Paperclip, Send, Square } from 'lucide-react';
import { type ClipboardEvent, type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import type { FileValue } from '#shared/file.ts';
import { Button } from '../ui/Button.tsx';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { fieldBox } from '../ui/styles.ts';
import { useAttachments, useDroppedFiles } from './attachments.ts';
import { ChosenFiles } from './Files.tsx';

interface ComposerProps {
  conversation: string;
  isComing: boolean;
  isReady: boolean;
  /** Why who answers reads no files; undefined if files are read. */
  noFiles: string | undefined;
  onSend(text: string, files: readonly FileValue[]): void;
  onStop(): void;
}

/** The next message and its files: chosen, dropped on the chat, or pasted. Enter sends. During an answer, it can be stopped and the next question written. */
export function Composer({ conversation, isComing, isReady, noFiles, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const form = useRef<HTMLFormElement>(null);
  const files = useAttachments();
  const add = (given: readonly File[]): void =>
    noFiles === undefined ? files.add(given) : files.refuse(noFiles);
  const isOver = useDroppedFiles(form, add);
  const isSomething = text.trim() !== '' || files.all.length > 0;
  const canSend = isReady && !isComing && !files.isBusy && isSomething;
  const send = (event?: FormEvent): void => {
    event?.preventDefault();
    if (!canSend) return;
    onSend(text.trim(), files.take());
    setText('');
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter also ends the composition of an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = [...event.clipboardData.files];
    if (pasted.length === 0) return;
    event.preventDefault();
    add(pasted);
  };
  return (
    <form
      ref={form}
      onSubmit={send}
      className={cx('shrink-0 border-t border-line px-4 py-3', isOver && 'bg-accent-soft')}
    >
      <ChosenFiles files={files} conversation={conversation} />
      <div className="mx-auto flex max-w-190 items-end gap-2">
        <AttachButton noFiles={noFiles} onFiles={add} />
        <textarea
          ref={field}
          autoFocus
          rows={1}
          aria-label="Message"
          placeholder="Message: Enter sends, Shift+Enter starts a new line"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className={cx(
            fieldBox,
            '[field-sizing:content] max-h-50 min-h-8 resize-none py-1.5 leading-normal',
          )}
        />
        <SendOrStop isComing={isComing} canSend={canSend} onStop={onStop} />
      </div>
    </form>
  );
}

interface AttachButtonProps {
  noFiles: string | undefined;
  onFiles(files: readonly File[]): void;
}

function AttachButton({ noFiles, onFiles }: AttachButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton
        icon={Paperclip}
        label={noFiles ?? 'Attach files'}
        disabled={noFiles !== undefined}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={({ currentTarget }) => {
          onFiles([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
    </>
  );
}

interface SendOrStopProps {
  isComing: boolean;
  canSend: boolean;
  onStop(): void;
}

function SendOrStop({ isComing, canSend, onStop }: SendOrStopProps) {
  return isComing ? (
    <Button icon={Square} onClick={onStop}>
      Stop
    </Button>
  ) : (
    <Button variant="primary" type="submit" icon={Send} disabled={!canSend}>
      Send
    </Button>
  );
}
