import type { ChatMessage } from '#shared/chat-item.ts';

const PIECE = /\s*\S{1,16}|\s+/gu;

/** A text as a model would send it: words with the whitespace before them, long ones in parts. Each counts as a token. */
export function piecesOf(text: string): string[] {
  return text.match(PIECE) ?? [];
}

export function tokensIn(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + piecesOf(content).length, 0);
}
