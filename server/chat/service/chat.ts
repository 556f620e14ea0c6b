import { randomUUID } from 'node:crypto';
import type { Run } from '#engine';
import type { ChatItem } from '#shared/chat-item.ts';
import { APP_PREFIX } from '#shared/chat-names.ts';
import type { ChatRequest } from '#shared/chat-request.ts';
import type { FileValue } from '#shared/file.ts';
import type { RunHub } from '../../execution/runs/run-types.ts';
import type { SubFlows } from '../../execution/starts/sub-flows.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { Caller, Access } from '../../access/security/access.ts';
import { distrust } from '../../access/security/distrust.ts';
import { attach, createAnswerFiles, type FileDeps, filesOf, limitsAt } from './attachments.ts';
import type { AnswerHead } from './chunks.ts';
import type { Conversations } from './conversations.ts';
import type { Exchange, Exchanges } from './exchanges.ts';
import { chatInput, historyOf, questionOf } from './input.ts';
import { withPlace } from '../../execution/runs/run-limits.ts';
import type { ChatTarget } from './target.ts';

/** The parts of an answer whose form depends on the reader. */
export type ShownItem = Extract<ChatItem, { type: 'file' | 'references' }>;

/** A chat whose run has started. */
export interface Chat {
  readonly run: Run;
  readonly request: ChatRequest;
  readonly head: AnswerHead;
  /** The question, if an app answers: blocks show it as a plan if the app has none of its own. */
  readonly goal: string | undefined;
  /** `head.model` is the model that the client requested; the answering model is reported once it is known. */
  readonly leavesModelOpen: boolean;
  readonly owner: string;
  /** Whether the answer was stopped where it is. */
  readonly stopped: boolean;
  /** A file or the citations of the answer in the form for their reader. */
  shown(item: ShownItem): Promise<ChatItem> | ChatItem;
  /** Stores the question and the answer, so that the conversation can continue. Never rejects. */
  remember(answer: string): Promise<void>;
  /** Call it once the answer has been read, or has failed. */
  over(): void;
}

export interface ChatDeps extends FileDeps {
  readonly runs: RunHub;
  readonly log: FastifyBaseLogger;
  readonly subFlows: Pick<SubFlows, 'hold'>;
  readonly access: Access;
  readonly conversations: Conversations;
  readonly exchanges: Exchanges;
}

/** The caller, with the name under which it uploads files; `fileAt` makes the address of a file for it. */
export interface Asking {
  readonly caller: Pick<Caller, 'kind' | 'name' | 'owner'>;
  readonly uploader: (conversation: string) => string;
  readonly fileAt: (conversation: string, file: FileValue) => string;
  /** The beginning of addresses of citations on this server for the caller. */
  readonly origin: string;
  /** The run of the exchange that the question replaces. */
  readonly replaces?: string | undefined;
}

/** Starts the run that answers. Throws the errors of `RunHub.start` and `attach`, and `storage_failed`. */
export async function startChat(
  deps: ChatDeps,
  asked: ChatRequest,
  target: ChatTarget,
  { caller, uploader: uploaderOf, fileAt, origin, replaces }: Asking,
): Promise<Chat> {
  const { owner } = caller;
  const conversation = asked.conversation ?? randomUUID();
  const uploader = uploaderOf(conversation);
  const terms = { limits: limitsAt(target.flow, target.node), stores: storesFiles(asked, target) };
  const { request, files } = await attach(deps, asked, { owner, uploader, conversation }, terms);
  const history = await historyOf(deps.conversations, owner, request, replaces);
  const key = keyOf(caller);
  const run = await startRun(
    deps,
    request,
    { target, owner },
    { conversation, history, files, ...(key !== undefined && { key }) },
  );
  const link = (file: FileValue): string => fileAt(conversation, file);
  const answered = createAnswerFiles(deps, { run, uploader, link });
  const exchange: Exchange = { run, owner, conversation, stopped: false };
  deps.exchanges.add(exchange);
  const begin = { id: conversation, user: request.user, target: target.name, replaces };
  return {
    run,
    request,
    owner,
    head: {
      id: conversation,
      created: Math.floor(run.startedAt / 1000),
      model: target.answersAs ?? target.asks ?? request.model,
    },
    goal: target.name.startsWith(APP_PREFIX) ? questionOf(request) : undefined,
    leavesModelOpen: target.model !== null && target.answersAs === undefined,
    shown: (item) => (item.type === 'file' ? answered.shown(item) : withOrigin(item, origin)),
    get stopped() {
      return exchange.stopped;
    },
    async remember(answer) {
      if (answer === '' || !isKept(request)) return;
      const messages = [
        { role: 'user', content: questionOf(request), files: [...files], run: run.id },
        { role: 'assistant', content: answer, files: [...answered.files], run: run.id },
      ] as const;
      await deps.conversations.add(owner, begin, messages).catch((error: unknown) => {
        deps.log.error({ err: error, run: run.id }, 'a conversation could not be stored');
      });
    },
    over: () => deps.exchanges.remove(exchange),
  };
}

/** Citations with complete addresses, which other programs can open. */
function withOrigin(item: Extract<ChatItem, { type: 'references' }>, origin: string): ChatItem {
  if (origin === '') return item;
  const whole = <P extends { readonly href: string }>(passage: P): P => ({
    ...passage,
    href: passage.href.startsWith('/') ? `${origin}${passage.href}` : passage.href,
  });
  const documents = item.documents.map((one) => ({ ...one, passages: one.passages.map(whole) }));
  return { ...item, documents };
}

/** The usage of agents is charged to the calling key; a browser's session has none. */
function keyOf({ kind, name }: Pick<Caller, 'kind' | 'name'>): string | undefined {
  return kind === 'key' ? name : undefined;
}

/** A draft gets only secrets that its writers and its caller may use; calls of its own flow run the draft too. */
async function startRun(
  { runs, subFlows, access }: Pick<ChatDeps, 'runs' | 'subFlows' | 'access'>,
  request: ChatRequest,
  { target, owner }: { readonly target: ChatTarget; readonly owner: string },
  context: Omit<Parameters<typeof chatInput>[1], 'model'>,
): Promise<Run> {
  const { flow, node, model, isDraft } = target;
  const input = chatInput(request, { ...context, model });
  const all = [...context.history, ...input.messages].flatMap(filesOf);
  const { writers } = flow;
  const placed = await withPlace(runs, {
    flow,
    trigger: node,
    request: { method: 'POST', query: {}, params: {}, headers: {}, body: input },
    output: input,
    source: 'chat',
    ...(isDraft && { isDraft }),
    isLookedAt: isKept(request),
    apiKey: context.key,
    ...(all.length > 0 && { files: [...new Set(all.map(({ $file }) => $file))] }),
    untrusted: writers && distrust(access, { writers, starter: owner }),
  });
  const start = (): Run => runs.start(placed);
  return isDraft ? subFlows.hold(flow, start) : start();
}

/**
 * Files within a message are stored where they may be needed later. A client that sends its own history to a model does
 * not need the server to store them.
 */
function storesFiles(request: ChatRequest, { answersAs }: ChatTarget): boolean {
  return isKept(request) || answersAs === undefined;
}

/** An OpenAI client sends its whole history each time; it will not return to a conversation that it does not name. */
function isKept({ conversation, openai }: ChatRequest): boolean {
  return conversation !== undefined || !openai;
}
