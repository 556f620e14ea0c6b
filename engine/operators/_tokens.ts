import type { ChatMessage } from '#shared/chat-item.ts';

/** Tokens of a message besides its text: its role, and separators between messages. */
const PER_MESSAGE = 4;
const CHARACTERS_A_TOKEN = 4;
const LATIN = /[\p{Script=Latin}\p{ASCII}]/gu;

/**
 * Estimates how many tokens a model counts for messages; models differ, and only their providers know. A Latin letter counts
 * as a quarter, any other character as one, which overestimates rather than underestimates.
 */
export function estimatedTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + PER_MESSAGE + tokensOf(content), 0);
}

function tokensOf(text: string): number {
  const latin = text.match(LATIN)?.length ?? 0;
  return Math.ceil(latin / CHARACTERS_A_TOKEN) + text.length - latin;
}
