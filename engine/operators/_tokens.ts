import type { ChatMessage } from '#shared/chat-item.ts';

/** What a message takes besides its text: its role, and marks between messages. */
const PER_MESSAGE = 4;
const CHARACTERS_A_TOKEN = 4;
const LATIN = /[\p{Script=Latin}\p{ASCII}]/gu;

/**
 * About how many tokens a model counts for messages; models differ, and only their providers know. Latin letters count a
 * quarter, all others one, which is rather too many than too few.
 */
export function estimatedTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + PER_MESSAGE + tokensOf(content), 0);
}

function tokensOf(text: string): number {
  const latin = text.match(LATIN)?.length ?? 0;
  return Math.ceil(latin / CHARACTERS_A_TOKEN) + text.length - latin;
}
