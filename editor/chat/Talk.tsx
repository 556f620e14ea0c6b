import { type ReactNode, useEffect } from 'react';
import { useStore } from 'zustand';
import type { EvaluationTarget } from '#shared/evaluation.ts';
import { getConversation } from '../api/chat.ts';
import type { Chat } from './chat-store.ts';
import { Composer } from './Composer.tsx';
import { Entries } from './Entries.tsx';
import { textsOf } from './partners.ts';

interface TalkProps {
  chat: Chat;
  /** Does `work` with the name of who answers. */
  ask(work: (model: string) => Promise<void>): void;
  isReady: boolean;
  /** Why who answers reads no files; undefined if files are read. */
  noFiles: string | undefined;
  /** Shows the run behind an answer. */
  onRun(run: string): void;
  /** The target of an evaluation that gets such answers; undefined if there is none. */
  target: EvaluationTarget | undefined;
  /** Whether agents may take part in the answers. */
  hasAgents: boolean;
  /** Shown before the first message. */
  children: ReactNode;
}

/** The messages and the next one: the same beside a canvas, beside an app, and on the screen of chats. */
export function Talk({ chat, ask, isReady, noFiles, onRun, target, hasAgents, children }: TalkProps) {
  const { entries, isComing } = useStore(chat.store);
  useOtherWindows(chat);
  // The first answer is not to be seen without its form.
  useEffect(() => void import('../ui/MarkdownText.tsx').catch(() => undefined), []);
  const canAsk = isReady && !isComing;
  return (
    <>
      {entries.length === 0 ? (
        children
      ) : (
        <Entries
          entries={entries}
          conversation={chat.conversation}
          isComing={isComing}
          onAgain={canAsk ? () => ask(chat.again) : undefined}
          onChange={canAsk ? (at, text) => ask((model) => chat.change(model, at, text)) : undefined}
          onRun={onRun}
          target={target}
          hasAgents={hasAgents}
        />
      )}
      <Composer
        conversation={chat.conversation}
        isComing={isComing}
        isReady={isReady}
        noFiles={noFiles}
        onSend={(text, files) => ask((model) => chat.send(model, text, files))}
        onStop={() => void chat.stop()}
      />
    </>
  );
}

/** Whoever comes back to the page sees what was said in another one. */
function useOtherWindows(chat: Chat): void {
  useEffect(() => {
    const gone = new AbortController();
    const look = (): void => {
      if (document.visibilityState === 'hidden' || chat.store.getState().entries.length === 0) return;
      // What cannot be read now is read the next time.
      const read = getConversation(chat.conversation).then(textsOf, () => undefined);
      void read.then((stored) => stored && !gone.signal.aborted && chat.renew(stored));
    };
    globalThis.addEventListener('focus', look, { signal: gone.signal });
    document.addEventListener('visibilitychange', look, { signal: gone.signal });
    return () => gone.abort();
  }, [chat]);
}
