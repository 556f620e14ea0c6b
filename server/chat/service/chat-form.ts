import type { ChatItem, PlanStatus } from '#shared/chat-item.ts';
import type { Chat } from './chat.ts';
import { type ChunkWriter, completionBody, createChunkWriter } from './chunks.ts';
import { type Contents, increments, wholes } from './contents.ts';
import type { AnswerEvent, AnswerEvents, AnswerForm } from './form.ts';
import { isRefusal, type Said } from './said.ts';
import { createBlocks, createPlainText } from './vis.ts';

/** Chunks and completions for clients of DB-GPT's and OpenAI's `/chat/completions`. */
export const chatForm: AnswerForm = {
  events: (chat, said) => new ChunkEvents(chat, said),
  whole: (chat, answer) => completionBody(chat.head, answer),
};

const DONE: AnswerEvent = { data: '[DONE]' };

/** Open blocks are closed when an answer fails or is stopped, so that the sent text is well formed. */
class ChunkEvents implements AnswerEvents {
  private readonly chat: Chat;
  private readonly said: Said;
  private readonly contents: Contents;
  private chunks: ChunkWriter;
  private model: string;
  /** The waits that its reader was told. */
  private readonly waits = new Set<string>();

  constructor(chat: Chat, said: Said) {
    this.chat = chat;
    this.said = said;
    this.model = chat.head.model;
    this.chunks = createChunkWriter(chat.head);
    const { blocks, incremental } = chat.request;
    const rendering = blocks ? createBlocks(chat.goal) : createPlainText();
    this.contents = incremental ? increments(rendering) : wholes(rendering);
  }

  item(item: ChatItem): readonly AnswerEvent[] {
    this.follow();
    const data = this.chunkOf(item);
    return data === undefined ? [] : [{ data }];
  }

  end(): readonly AnswerEvent[] {
    const { finish, usage } = this.said.end();
    const usageEvents = this.chat.request.usage ? [{ data: this.chunks.usage(usage) }] : [];
    return [...this.rest(), { data: this.chunks.finish(finish) }, ...usageEvents, DONE];
  }

  failure(error: Parameters<ChunkWriter['failure']>[0]): readonly AnswerEvent[] {
    return [...this.rest('failed'), { data: this.chunks.failure(error) }, DONE];
  }

  /** Makes chunks name the model that answers. */
  private follow(): void {
    const { model = this.model } = this.said;
    if (!this.chat.leavesModelOpen || model === this.model) return;
    this.model = model;
    this.chunks = createChunkWriter({ ...this.chat.head, model });
  }

  private chunkOf(item: ChatItem): string | undefined {
    const { tools, incremental, openai } = this.chat.request;
    if (item.type === 'tool-call' && tools)
      return this.chunks.toolCall(this.said.calls.length - 1, item.call);
    if (item.type === 'waiting') return this.toldOf(item);
    if (item.type === 'reasoning') return incremental ? this.chunks.reasoning(item.text) : undefined;
    if (openai && isRefusal(item)) return this.chunks.refusal(item.text);
    const text = this.contents.take(item);
    return text === undefined ? undefined : this.chunks.content(text);
  }

  /** A repeat only says that the answer still waits. */
  private toldOf(item: Extract<ChatItem, { type: 'waiting' }>): string | undefined {
    if (this.waits.has(item.wait)) return undefined;
    this.waits.add(item.wait);
    return this.chunks.waiting(item);
  }

  private rest(status?: PlanStatus): readonly AnswerEvent[] {
    const rest = this.contents.end(status);
    return rest === undefined ? [] : [{ data: this.chunks.content(rest) }];
  }
}
