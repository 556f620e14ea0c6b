import { Send, Square } from 'lucide-react';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { cx } from '../ui/cx.ts';
import { fieldBox } from '../ui/styles.ts';

interface ComposerProps {
  isComing: boolean;
  isReady: boolean;
  onSend(text: string): void;
  onStop(): void;
}

/** The next message. Enter sends. During an answer, it can be stopped and the next question written. */
export function Composer({ isComing, isReady, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const canSend = isReady && !isComing && text.trim() !== '';
  const send = (event?: FormEvent): void => {
    event?.preventDefault();
    if (!canSend) return;
    onSend(text.trim());
    setText('');
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Enter also ends the composition of an input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form onSubmit={send} className="shrink-0 border-t border-line px-4 py-3">
      <div className="mx-auto flex max-w-190 items-end gap-2">
        <textarea
          ref={field}
          autoFocus
          rows={1}
          aria-label="Message"
          placeholder="Message: Enter sends, Shift+Enter starts a new line"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          className={cx(
            fieldBox,
            '[field-sizing:content] max-h-50 min-h-8 resize-none py-1.5 leading-normal',
          )}
        />
        {isComing ? (
          <Button icon={Square} onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button variant="primary" type="submit" icon={Send} disabled={!canSend}>
            Send
          </Button>
        )}
      </div>
    </form>
  );
}
