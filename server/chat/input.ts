import { answerSettings, type ChatInput, type ChatMessage } from '#shared/chat-item.ts';
import type { ChatRequest } from '#shared/chat-request.ts';
import type { Conversations } from './conversations.ts';

/** Messages of a conversation that are remembered: ten rounds of a question and its answer. */
const REMEMBERED = 20;

/**
 * What came before in the conversation: what the server has kept, where the client names a conversation and sends one message
 * only. A client that sends more brings its own history.
 */
export async function historyOf(
  conversations: Pick<Conversations, 'recent'>,
  owner: string,
  { conversation, messages }: ChatRequest,
): Promise<readonly ChatMessage[]> {
  const said = messages.filter((message) => message.role !== 'system');
  if (conversation === undefined || said.length !== 1) return [];
  const kept = await conversations.recent(owner, conversation, REMEMBERED);
  return kept.map(({ role, content }) => ({ role, content }));
}

/** What the chat hands to the flow that answers it. */
export function chatInput(
  request: ChatRequest,
  context: Pick<ChatInput, 'history' | 'conversation' | 'model' | 'key'>,
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
