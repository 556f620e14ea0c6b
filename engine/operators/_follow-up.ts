import type { ChatInput, ChatMessage } from '#shared/chat-item.ts';
import { withoutEvidence } from '#shared/chat-markup.ts';
import { tellingWords } from '#shared/everyday-words.ts';
import { type Call, WeftError } from '../base/operator.ts';
import { logUsage } from './_model-call.ts';
import { framed } from './_passages.ts';

/** The ways to make a question that depends on the conversation searchable. */
export const FOLLOW_UPS = ['model', 'words', 'off'] as const;
export type FollowUps = (typeof FOLLOW_UPS)[number];

/** The number of messages before the question that are used, and of the characters of each. */
const TURNS = 6;
const MAX_TURN = 2000;
/** The limits of the model call. */
const MAX_TOKENS = 300;
const MAX_MS = 10_000;
const LOOK_MS = 200;
/** The longest rewritten question, in characters. */
const MAX_QUESTION = 1000;

type Turn = Extract<ChatMessage, { role: 'user' | 'assistant' }>;

interface Asked {
  readonly question: string;
  readonly before: readonly { readonly role: Turn['role']; readonly text: string }[];
}

/**
 * The question in searchable form: alone it may name nothing ("And for the other one?"). A model rewrites it; without one, or
 * when it fails, the names and nouns of the last turns are added. A first question stays unchanged.
 */
export async function searchedQuestion(
  call: Call,
  input: ChatInput,
  { how, model }: { readonly how: FollowUps; readonly model: string | undefined },
): Promise<string> {
  const asked = askedIn(input);
  if (how === 'off' || asked.before.length === 0 || asked.question === '') return asked.question;
  const made = how === 'model' ? await byModel(call, asked, model) : undefined;
  const question = made ?? byWords(asked);
  if (question !== asked.question)
    call.log('info', `Searched for: ${question}`, {
      asked: asked.question,
      searched: question,
      by: made === undefined ? 'words' : 'model',
    });
  return question;
}

function askedIn({ text, history, messages }: ChatInput): Asked {
  const all = [...history, ...messages];
  const last = all.findLastIndex(({ role }) => role === 'user');
  const said = all
    .slice(0, Math.max(0, last))
    .filter((one): one is Turn => one.role === 'user' || one.role === 'assistant');
  const before = said.slice(-TURNS).map(({ role, content }) => {
    const words = role === 'assistant' ? withoutEvidence(content) : content;
    return { role, text: words.slice(0, MAX_TURN).toWellFormed() };
  });
  return { question: text.trim().slice(0, 10_000).toWellFormed(), before };
}

const TASK = `You make the last question of a conversation understandable without the conversation, for a search in documents: put the names and things that are meant in the place of pronouns and of what was left out. Add nothing else. If it is understandable already, repeat it. Do not answer it. Write only the question, in one line, in its own language.`;

/** Undefined if there is no model, or it fails or takes too long. */
async function byModel(call: Call, asked: Asked, model: string | undefined): Promise<string | undefined> {
  const stop = new AbortController();
  const end = (): void => stop.abort(call.signal.reason);
  call.signal.addEventListener('abort', end, { once: true });
  let isOver = false;
  void limitTime(call, stop, () => isOver).catch(() => {});
  try {
    const messages = framed(TASK, { conversation: asked.before, question: asked.question });
    let text = '';
    for await (const item of call
      .service('models')
      .chat({ model, messages, maxTokens: MAX_TOKENS }, call.asker, stop.signal)) {
      if (item.type === 'text') text += item.text;
      if (item.type === 'finish') logUsage(call, item);
    }
    return questionIn(text);
  } catch (error) {
    call.signal.throwIfAborted();
    call.log(
      'warn',
      `The question is searched for with words of the last turns: ${(error as Error).message}`,
    );
    return undefined;
  } finally {
    isOver = true;
    call.signal.removeEventListener('abort', end);
  }
}

async function limitTime(call: Call, stop: AbortController, isOver: () => boolean): Promise<void> {
  for (let waited = 0; waited < MAX_MS; waited += LOOK_MS) {
    await call.sleep(LOOK_MS);
    if (isOver()) return;
  }
  stop.abort(
    new WeftError('model_timeout', `The model did not rewrite the question within ${MAX_MS / 1000} s.`),
  );
}

/** The first line that is not empty, without the quotation marks around it. */
function questionIn(text: string): string | undefined {
  const line = text.split(/[\r\n]/).find((one) => one.trim() !== '');
  const question = line
    ?.trim()
    .replaceAll(/^["“„«']+|["”“»']+$/g, '')
    .trim();
  return question === undefined || question === '' || question.length > MAX_QUESTION ? undefined : question;
}

// ------------------------------------------------------------------------------------------------------- by words

/**
 * Words that refer to an earlier message. Articles that may do so, such as `die` and `la`, are left out because every question
 * has them.
 */
const POINTING: ReadonlySet<string> = new Set(
  `it its this these those they them their he him his she her hers ones other others former latter
  er sie ihn ihm deren dessen dies diese dieser dieses diesem dort damit dafür davon daran andere anderen anderer beide beiden
  elle elles ils lui leur cela ça celui celle ceux celles autre autres él ella ellos ellas eso esa ese esos esas otro otra otros otras`.split(
    /\s+/,
  ),
);
/** Beginnings that continue a conversation, and endings that omit the subject. */
const BEGINS =
  /^\P{L}*(?:and|or|but|also|then|und|oder|aber|auch|dann|et|ou|mais|aussi|y|o|pero|también)(?!\p{L})/iu;
const ENDS = /\b(?:one|that|das)\W*$|\b(?:do|does|did|is|was|for|about|of|with|after|before) that\b/i;
/** With fewer significant words a question names nothing to search for. */
const FEW = 2;
/** The most characters of a short question in a script without blanks. */
const SHORT = 10;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const WORD = /[\p{L}\p{N}_]+(?:[-._/:@'’][\p{L}\p{N}_]+)*/gu;
/** The most words that are added. */
const MOST = 12;

/**
 * The words of the question itself, then the words of earlier messages: first those of the user, and of answers, which are long,
 * only names.
 */
function byWords({ question, before }: Asked): string {
  if (!dependsOnBefore(question)) return question;
  const own = tellingWords(question.match(WORD) ?? []).filter((word) => !POINTING.has(word.toLowerCase()));
  const turns = before.toReversed();
  const earlier = [
    ...turns.flatMap(({ role, text }) => (role === 'user' ? tellingWords(text.match(WORD) ?? []) : [])),
    ...turns.flatMap(({ role, text }) => (role === 'assistant' ? namesIn(text) : [])),
  ].filter((word) => !POINTING.has(word.toLowerCase()));
  const byLower = new Map(earlier.map((word) => [word.toLowerCase(), word]));
  for (const word of own) byLower.delete(word.toLowerCase());
  const added = [...byLower.values()].slice(0, MOST);
  return added.length === 0 ? question : [...own, ...added].join(' ');
}

function dependsOnBefore(question: string): boolean {
  if (UNSPACED.test(question))
    return question.length <= SHORT || /[它他她那这此]|それ|その|これ/u.test(question);
  const words = question.match(WORD) ?? [];
  if (BEGINS.test(question) || ENDS.test(question) || tellingWords(words).length < FEW) return true;
  // A capital German `Sie` within a sentence addresses the reader.
  return words.some((word, at) => POINTING.has(at === 0 ? word.toLowerCase() : word));
}

/** Capitalised words within sentences: names, and German nouns. */
function namesIn(text: string): string[] {
  return Array.from(text.matchAll(/(?<=[\p{L}\p{N},;:)] )\p{Lu}[\p{L}\p{N}_-]+/gu), ([name]) => name);
}
