import { lazy, Suspense, type UIEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { EvaluationTarget } from '#shared/evaluation.ts';
import type { KeptQuestion } from '../evaluations/KeepCaseDialog.tsx';
import { Answer } from './Answer.tsx';
import { keptAnswer } from './blocks.ts';
import type { ChatEntry } from './chat-store.ts';
import { Question } from './Question.tsx';

const KeepCaseDialog = lazy(() =>
  import('../evaluations/KeepCaseDialog.tsx').then((file) => ({ default: file.KeepCaseDialog })),
);

interface EntriesProps {
  entries: readonly ChatEntry[];
  conversation: string;
  isComing: boolean;
  /** Asks the last question again; undefined if nothing can be asked now. */
  onAgain: (() => void) | undefined;
  /** Asks the question at this place again with another text; undefined if nothing can be asked now. */
  onChange: ((at: number, text: string) => void) | undefined;
  /** Shows the run behind an answer. */
  onRun?: ((run: string) => void) | undefined;
  /** The target of an evaluation that gets such answers; undefined if there is none. */
  target?: EvaluationTarget | undefined;
  /** Whether agents may take part in the answers. */
  hasAgents: boolean;
}

/** The messages, the newest at the bottom; stays there until somebody scrolls up. */
export function Entries(props: EntriesProps) {
  const { entries, conversation, isComing, onAgain, onChange, onRun, target, hasAgents } = props;
  const [kept, setKept] = useState<KeptQuestion>();
  const { box, list, onScroll } = useStayAtEnd(entries.findLast(({ role }) => role === 'user'));
  return (
    <div
      ref={box}
      onScroll={onScroll}
      role="log"
      aria-label="Conversation"
      aria-busy={isComing}
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto px-4 py-5 outline-offset-[-2px]"
    >
      <ol ref={list} className="mx-auto flex max-w-190 flex-col gap-5">
        {entries.map((entry, i) => (
          <li key={i}>
            {entry.role === 'user' ? (
              <Question
                entry={entry}
                conversation={conversation}
                isLast={i >= entries.length - 2}
                onChange={onChange && ((text) => onChange(i, text))}
              />
            ) : (
              <Answer
                entry={entry}
                onAgain={i === entries.length - 1 ? onAgain : undefined}
                onRun={onRun}
                hasAgents={hasAgents}
                onKeep={target && (() => setKept(keptAnswer(entries[i - 1]?.text ?? '', entry.text)))}
              />
            )}
          </li>
        ))}
      </ol>
      {kept && target && (
        <Suspense fallback={null}>
          <KeepCaseDialog target={target} kept={kept} onClose={() => setKept(undefined)} />
        </Suspense>
      )}
    </div>
  );
}

const NEAR = 40;

/** Stays at the end while anything grows or shrinks, until somebody scrolls up; a new question goes there again. */
function useStayAtEnd(question: unknown) {
  const box = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const atEnd = useRef(true);
  const top = useRef(0);
  const goOn = useCallback((): void => {
    if (atEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, []);
  useEffect(() => {
    atEnd.current = true;
    goOn();
  }, [goOn, question]);
  // Answers grow, pictures have no height until they are loaded, and the field below takes room.
  useEffect(() => {
    const sizes = new ResizeObserver(goOn);
    for (const element of [box.current, list.current]) if (element) sizes.observe(element);
    return () => sizes.disconnect();
  }, [goOn]);
  const onScroll = ({ currentTarget }: UIEvent): void => {
    const { scrollHeight, scrollTop, clientHeight } = currentTarget;
    // What has grown since it was scrolled to its end is no reason to stay behind.
    if (scrollHeight - scrollTop - clientHeight < NEAR) atEnd.current = true;
    else if (scrollTop < top.current) atEnd.current = false;
    top.current = scrollTop;
  };
  return { box, list, onScroll };
}
