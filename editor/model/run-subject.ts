import { APP_PREFIX, DATA_PREFIX, KNOWLEDGE_PREFIX } from '#shared/chat-names.ts';

/** The subject of a run. Chats, apps, loads and embeddings run flows that are no files: their ids have a prefix. */
export interface RunSubject {
  readonly kind: 'flow' | 'app' | 'model' | 'knowledge' | 'load' | 'data' | 'embedding';
  /** The code of an app, the name of a space, of a connection, of a model; the id of a flow. */
  readonly of: string;
}

const PREFIXES: readonly (readonly [prefix: string, kind: RunSubject['kind']])[] = [
  [APP_PREFIX, 'app'],
  ['chat:', 'model'],
  [KNOWLEDGE_PREFIX, 'knowledge'],
  ['load:', 'load'],
  [DATA_PREFIX, 'data'],
  ['embed:', 'embedding'],
];

export function runSubject(flow: string): RunSubject {
  const found = PREFIXES.find(([prefix]) => flow.startsWith(prefix));
  return found ? { kind: found[1], of: flow.slice(found[0].length) } : { kind: 'flow', of: flow };
}

/** The name of the subject of a run; `nameOf` names flows and apps. */
export function subjectName(flow: string, nameOf: (subject: RunSubject) => string | undefined): string {
  const subject = runSubject(flow);
  const { kind, of } = subject;
  const name = nameOf(subject) ?? of;
  if (kind === 'model') return 'Chat with a model';
  if (kind === 'knowledge') return `Chat with ${name}`;
  if (kind === 'load') return `Load into ${name}`;
  if (kind === 'data') return `Question to ${name}`;
  if (kind === 'embedding') return `Embedding by ${name}`;
  return name;
}

/** The steps of flows that are no files. */
const STEPS: Readonly<Partial<Record<RunSubject['kind'], Readonly<Record<string, string>>>>> = {
  load: { document: 'Document', load: 'Load', split: 'Split and store', embed: 'Embed and store' },
};
const CHAT_STEPS: Readonly<Record<string, string>> = { chat: 'Message', answer: 'Answer' };

/** The name of a step whose flow is not stored. */
export function stepName(flow: string, node: string): string {
  const { kind } = runSubject(flow);
  if (kind === 'flow') return node;
  return (STEPS[kind] ?? CHAT_STEPS)[node] ?? node;
}
