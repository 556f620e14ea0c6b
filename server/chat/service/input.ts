import { answerSettings, type ChatInput, type ChatMessage, storedPart } from '#shared/chat-item.ts';
import type { ChatRequest } from '#shared/chat-request.ts';
import type { Conversations } from './conversations.ts';

/** Remembered messages of a conversation: ten rounds of a question and its answer. */
const REMEMBERED = 20;

/**
 * The earlier messages of a conversation: those that the server has stored, if the client names a conversation and
 * sends only one message; without the exchange that the question replaces, and what followed it. A client that sends more brings
 * its own history.
 */
export async function historyOf(
  conversations: Pick<Conversations, 'recent'>,
  owner: string,
  { conversation, messages }: ChatRequest,
  replaces?: string,
): Promise<readonly ChatMessage[]> {
  const turns = messages.filter((message) => message.role !== 'system');
  if (conversation === undefined || turns.length !== 1) return [];
  const kept = await conversations.recent(owner, conversation, REMEMBERED, replaces);
  return kept.map(({ role, content, files = [] }): ChatMessage => {
    if (role === 'assistant' || files.length === 0) return { role, content };
    const text = content === '' ? [] : [{ type: 'text', text: content } as const];
    return { role, content, parts: [...text, ...files.map(storedPart)] };
  });
}

/** The input that a chat passes to the answering flow. */
export function chatInput(
  request: ChatRequest,
  context: Pick<ChatInput, 'history' | 'files' | 'conversation' | 'model' | 'key'>,
): ChatInput {
  const { user, tools, toolChoice } = request;
  const given = Object.entries({ user, tools, toolChoice }).filter(([, value]) => value !== undefined);
  return {
    text: questionOf(request),
    messages: request.messages,
    ...context,
    stream: request.stream,
    ...answerSettings(request),
    ...Object.fromEntries(given),
  };
}

/** The last message of the user. */
export function questionOf({ messages }: ChatRequest): string {
  return messages.findLast((message) => message.role === 'user')?.content ?? '';
}
