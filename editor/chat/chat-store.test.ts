import { describe, expect, it, vi } from 'vitest';
import type { Piece, Question } from '../api/chat.ts';
import { ApiError } from '../api/client.ts';
import { createChat } from './chat-store.ts';

/** An answer that the test sends piece by piece. */
function script() {
  const pieces = new TransformStream<Piece, Piece>(undefined, { highWaterMark: 99 }, { highWaterMark: 99 });
  const writer = pieces.writable.getWriter();
  const asked: Question[] = [];
  let signal: AbortSignal | undefined;
  return {
    asked,
    say: (text: string, reasoning = '') => writer.write({ text, reasoning }),
    end: () => writer.close(),
    fail: (error: Error) => writer.abort(error),
    isAborted: () => signal?.aborted,
    async *ask(question: Question, given: AbortSignal): AsyncGenerator<Piece> {
      asked.push(question);
      signal = given;
      given.addEventListener('abort', () => void writer.abort(new Error('aborted')));
      const reader = pieces.readable.getReader();
      for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value;
    },
  };
}

function chatWith(answer: ReturnType<typeof script>, stop = () => Promise.resolve()) {
  return createChat({ conversation: 'c', before: [{ role: 'user', text: 'before' }], ask: answer.ask, stop });
}

describe('a chat', () => {
  it('adds question and answer to what was said before', async () => {
    const answer = script();
    const chat = chatWith(answer);
    const sent = chat.send('demo/chat', 'Hi');
    expect(chat.store.getState().isComing).toBe(true);
    await answer.say('', 'Hm');
    await answer.say('Hel');
    await answer.say('lo');
    await answer.end();
    await sent;
    expect(chat.store.getState()).toEqual({
      isComing: false,
      entries: [
        { role: 'user', text: 'before', files: [], reasoning: '', state: 'done' },
        { role: 'user', text: 'Hi', files: [], reasoning: '', state: 'done' },
        { role: 'assistant', text: 'Hello', files: [], reasoning: 'Hm', state: 'done', waits: [] },
      ],
    });
    expect(answer.asked).toEqual([
      { model: 'demo/chat', text: 'Hi', files: [], conversation: 'c', whole: false },
    ]);
  });

  it('takes each piece of an app for all there is so far', async () => {
    const answer = script();
    const chat = chatWith(answer);
    const sent = chat.send('app:x', 'Hi');
    await answer.say('One');
    await answer.say('One, two');
    await answer.end();
    await sent;
    expect(chat.store.getState().entries.at(-1)?.text).toBe('One, two');
    expect(answer.asked[0]?.whole).toBe(true);
  });

  it('takes no question while an answer comes (C1)', async () => {
    const answer = script();
    const chat = chatWith(answer);
    const sent = chat.send('m/m', 'one');
    await chat.send('m/m', 'two');
    expect(answer.asked).toHaveLength(1);
    await answer.end();
    await sent;
  });

  it('lets the server end an answer, and hangs up where it does not (C2)', async () => {
    vi.useFakeTimers();
    try {
      const answer = script();
      const stop = vi.fn(() => Promise.resolve());
      const chat = chatWith(answer, stop);
      const sent = chat.send('m/m', 'one');
      await answer.say('some');
      await chat.stop();
      expect(stop).toHaveBeenCalledWith('c');
      expect(answer.isAborted()).toBe(false);
      await vi.advanceTimersByTimeAsync(3000);
      expect(answer.isAborted()).toBe(true);
      await sent;
      expect(chat.store.getState().entries.at(-1)).toMatchObject({ text: 'some', state: 'stopped' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('keeps what came of an answer that fails, and can ask again (C3)', async () => {
    const answer = script();
    const chat = chatWith(answer);
    const sent = chat.send('m/m', 'one');
    await answer.say('some');
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(chat.store.getState().entries.at(-1)).toMatchObject({ text: 'some', state: 'coming' });
    await answer.fail(new ApiError('model_unavailable', 'It is away.', 502));
    await sent;
    const error = { code: 'model_unavailable', message: 'It is away.' };
    expect(chat.store.getState().entries.at(-1)).toMatchObject({ text: 'some', state: 'failed', error });
    await chat.again('m/m');
    expect(
      chat.store
        .getState()
        .entries.map(({ text }) => text)
        .slice(0, 2),
    ).toEqual(['before', 'one']);
    expect(chat.store.getState().entries).toHaveLength(3);
  });

  it('asks an earlier question again with another text: what followed goes, here and on the server', async () => {
    const asked: Question[] = [];
    const chat = createChat({
      conversation: 'c',
      before: [
        { role: 'user', text: 'one', run: 'r1' },
        { role: 'assistant', text: '1', run: 'r1' },
        { role: 'user', text: 'two', run: 'r2' },
        { role: 'assistant', text: '2', run: 'r2' },
      ],
      ask: async function* (question) {
        asked.push(question);
        yield { text: `${question.text}!`, reasoning: '', run: `new ${asked.length}` };
      },
      stop: () => Promise.resolve(),
    });
    const texts = () => chat.store.getState().entries.map(({ text }) => text);
    await chat.change('demo/chat', 2, 'zwei');
    expect(texts()).toEqual(['one', '1', 'zwei', 'zwei!']);
    await chat.again('demo/chat');
    expect(texts()).toEqual(['one', '1', 'zwei', 'zwei!']);
    await chat.change('demo/chat', 0, 'eins');
    expect(texts()).toEqual(['eins', 'eins!']);
    await chat.send('demo/chat', 'more');
    expect(asked.map(({ replaces }) => replaces)).toEqual(['r2', 'new 1', 'r1', undefined]);
  });

  it('remembers a question until its answer is stored, and shows it again to be asked again', async () => {
    const remembered: unknown[] = [];
    const remember = (question: unknown) => remembered.push(question);
    const answer = script();
    const chat = createChat({
      conversation: 'c',
      before: [],
      ask: answer.ask,
      remember,
      stop: async () => {},
    });
    const sent = chat.send('demo/chat', 'Hi');
    await answer.fail(new ApiError('model_rate_limited', 'Too many.', 429));
    await sent;
    const error = { code: 'model_rate_limited', message: 'Too many.' };
    expect(remembered).toEqual([
      { text: 'Hi', files: [], state: 'coming' },
      { text: 'Hi', files: [], state: 'failed', error },
    ]);
    const again = script();
    const back = createChat({
      conversation: 'c',
      before: [],
      unanswered: { text: 'Hi', files: [], state: 'coming' },
      ask: again.ask,
      remember,
      stop: async () => {},
    });
    expect(back.store.getState().entries).toMatchObject([
      { role: 'user', text: 'Hi' },
      { role: 'assistant', state: 'failed', error: { code: 'answer_broken' } },
    ]);
    const asked = back.again('demo/chat');
    await again.say('Hello');
    await again.end();
    await asked;
    expect(back.store.getState().entries).toMatchObject([{ text: 'Hi' }, { text: 'Hello', state: 'done' }]);
    expect(remembered.at(-1)).toBeUndefined();
  });

  it('keeps what was asked when somebody leaves, and shows it once if its answer was stored after all', async () => {
    const remembered: unknown[] = [];
    const answer = script();
    const chat = createChat({
      conversation: 'c',
      before: [],
      ask: answer.ask,
      remember: (question) => remembered.push(question),
      stop: async () => {},
    });
    const sent = chat.send('demo/chat', 'Hi');
    chat.leave();
    await sent;
    expect(remembered).toEqual([{ text: 'Hi', files: [], state: 'coming' }]);
    const stored = createChat({
      conversation: 'c',
      before: [
        { role: 'user', text: 'Hi' },
        { role: 'assistant', text: 'Hello' },
      ],
      unanswered: { text: 'Hi', files: [], state: 'coming' },
      ask: answer.ask,
      stop: async () => {},
    });
    expect(stored.store.getState().entries).toHaveLength(2);
  });

  it('shows what another window has added, but not during an answer', async () => {
    const answer = script();
    const chat = chatWith(answer);
    const stored = [
      { role: 'user' as const, text: 'before' },
      { role: 'user' as const, text: 'there', run: 'r2' },
      { role: 'assistant' as const, text: 'answered there', run: 'r2' },
    ];
    const sent = chat.send('demo/chat', 'Hi');
    chat.renew(stored);
    expect(chat.store.getState().entries.map(({ text }) => text)).toEqual(['before', 'Hi', '']);
    await answer.fail(new ApiError('offline', 'gone', 0));
    await sent;
    chat.renew(stored);
    expect(chat.store.getState().entries.map(({ text }) => text)).toEqual([
      'before',
      'there',
      'answered there',
      'Hi',
      '',
    ]);
  });
});
