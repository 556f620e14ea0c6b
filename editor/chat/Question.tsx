import { Pencil } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../ui/Button.tsx';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { fieldBox } from '../ui/styles.ts';
import type { ChatEntry } from './chat-store.ts';
import { SentFiles } from './Files.tsx';

interface QuestionProps {
  entry: ChatEntry;
  conversation: string;
  /** Nothing but its answer follows. */
  isLast: boolean;
  /** Asks it again with another text; undefined if nothing can be asked now. */
  onChange: ((text: string) => void) | undefined;
}

/** A message that was sent. It can be changed, and is then asked again. */
export function Question({ entry: { text, files }, conversation, isLast, onChange }: QuestionProps) {
  const [isOpen, setOpen] = useState(false);
  const pencil = useRef<HTMLButtonElement>(null);
  const close = (): void => {
    // It is hidden until then, and what is hidden takes no focus.
    flushSync(() => setOpen(false));
    pencil.current?.focus();
  };
  const send = (changed: string): void => {
    setOpen(false);
    onChange?.(changed);
  };
  return (
    <div className="group flex flex-col gap-1.5">
      {isOpen && onChange && <ChangeForm text={text} isLast={isLast} onSend={send} onCancel={close} />}
      <div hidden={isOpen} className="ml-auto flex max-w-[85%] items-start gap-1">
        {onChange && (
          <IconButton
            ref={pencil}
            size="sm"
            icon={Pencil}
            label="Edit and ask again"
            className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100"
            onClick={() => setOpen(true)}
          />
        )}
        {text !== '' && (
          <div className="min-w-0 rounded-lg bg-accent-soft px-3 py-2 wrap-anywhere whitespace-pre-wrap">
            <span className="sr-only">You: </span>
            {text}
          </div>
        )}
      </div>
      {files.length > 0 && <SentFiles files={files} conversation={conversation} />}
    </div>
  );
}

interface ChangeFormProps {
  text: string;
  isLast: boolean;
  onSend(text: string): void;
  onCancel(): void;
}

/** The message as a field. Enter sends it again, Escape leaves it as it was. */
function ChangeForm({ text: before, isLast, onSend, onCancel }: ChangeFormProps) {
  const [text, setText] = useState(before);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(before.length, before.length);
  }, [before]);
  const canSend = text.trim() !== '';
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') {
      event.stopPropagation();
      onCancel();
    }
    // Enter also ends the composition of an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (canSend) onSend(text.trim());
  };
  return (
    <form
      aria-label="Edit and ask again"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSend) onSend(text.trim());
      }}
      className="flex flex-col gap-2"
    >
      <textarea
        ref={field}
        aria-label="Changed text"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className={cx(fieldBox, '[field-sizing:content] max-h-60 min-h-16 resize-none py-1.5 leading-normal')}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        {!isLast && (
          <span className="mr-auto text-xs text-text-2">What follows this message is replaced.</span>
        )}
        <Button size="sm" variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
        <Button size="sm" variant="primary" type="submit" disabled={!canSend}>
          Send again
        </Button>
      </div>
    </form>
  );
}
