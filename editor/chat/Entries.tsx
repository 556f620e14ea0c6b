import { type UIEvent, useEffect, useRef, useState } from 'react';
import { Answer } from './Answer.tsx';
import type { ChatEntry } from './chat-store.ts';

interface EntriesProps {
  entries: readonly ChatEntry[];
  /** Asks the last question again; undefined during an answer. */
  onAgain: (() => void) | undefined;
  /** Shows the run behind an answer. */
  onRun?: ((run: string) => void) | undefined;
}

/** The messages, the newest at the bottom; stays there until somebody scrolls up. */
export function Entries({ entries, onAgain, onRun }: EntriesProps) {
  const { box, onScroll } = useStayAtEnd(entries);
  return (
    <div
      ref={box}
      onScroll={onScroll}
      role="log"
      aria-label="Conversation"
      aria-busy={onAgain === undefined}
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto px-4 py-5 outline-offset-[-2px]"
    >
      <ol className="mx-auto flex max-w-190 flex-col gap-5">
        {entries.map((entry, i) => (
          <li key={i}>
            {entry.role === 'user' ? (
              <Question text={entry.text} />
            ) : (
              <Answer entry={entry} onAgain={i === entries.length - 1 ? onAgain : undefined} onRun={onRun} />
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function Question({ text }: { text: string }) {
  return (
    <div className="ml-auto w-fit max-w-[85%] rounded-lg bg-accent-soft px-3 py-2 wrap-anywhere whitespace-pre-wrap">
      <span className="sr-only">You: </span>
      {text}
    </div>
  );
}

const NEAR = 40;

function useStayAtEnd(changes: unknown) {
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  useEffect(() => {
    if (atEnd) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [atEnd, changes]);
  const onScroll = ({ currentTarget }: UIEvent): void => {
    const { scrollHeight, scrollTop, clientHeight } = currentTarget;
    setAtEnd(scrollHeight - scrollTop - clientHeight < NEAR);
  };
  return { box, onScroll };
}
