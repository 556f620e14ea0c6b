import { parseKeepingDigits } from './lost-digits.ts';
import { z } from 'zod';
import type { ChatMessage, MessagePart, ToolCall } from './chat-item.ts';

/** Messages of a chat request: texts, or objects in OpenAI's format. */

const TEXT_ONLY =
  'must be a text, or a list of { "type": "text", "text": … }; only messages of the user can hold more';

const TextPart = z.object(
  { type: z.literal('text'), text: z.string() },
  { error: 'must be { "type": "text", "text": … }; only messages of the user can hold more' },
);

const ImagePart = z.object({
  type: z.literal('image_url'),
  image_url: z.object({
    url: z.string().regex(/^(?:https?:\/\/|data:image\/)/, 'must be an address, or data:image/…;base64,…'),
    detail: z.enum(['auto', 'low', 'high']).nullish(),
  }),
});

const FilePart = z.object({
  type: z.literal('file'),
  file: z
    .object({
      file_data: z.string().startsWith('data:', 'must be data:<type>;base64,…').nullish(),
      file_id: z.string().max(300).nullish(),
      filename: z.string().max(300).nullish(),
    })
    .refine(
      ({ file_data, file_id }) => (file_data ?? null) !== null || (file_id ?? null) !== null,
      'must hold the file as `file_data`, data:<type>;base64,…, or the id of an uploaded one as `file_id`',
    ),
});

const Texts = z
  .union([z.string(), z.array(TextPart)], { error: TEXT_ONLY })
  .transform((content) =>
    typeof content === 'string' ? content : content.map((part) => part.text).join('\n'),
  );

const UserContent = z.union(
  [
    z.string(),
    z.array(
      z.discriminatedUnion('type', [TextPart, ImagePart, FilePart], {
        error:
          'must be a part of the type text, image_url or file: other types, such as audio, are not supported',
      }),
    ),
  ],
  { error: 'must be a text, or a list of parts of the types text, image_url and file' },
);

/** A refusal that the assistant worded itself counts as its text. */
const AssistantContent = z
  .union(
    [z.string(), z.array(z.union([TextPart, z.object({ type: z.literal('refusal'), refusal: z.string() })]))],
    { error: TEXT_ONLY },
  )
  .transform((content) =>
    typeof content === 'string'
      ? content
      : content.map((part) => (part.type === 'text' ? part.text : part.refusal)).join('\n'),
  );

const CallOfTool = z.object({
  id: z.string().min(1),
  function: z.object({ name: z.string().min(1), arguments: z.string().default('') }),
});

const name = z.string().max(200).nullish();

const Message = z.discriminatedUnion(
  'role',
  [
    z.object({ role: z.enum(['system', 'developer']), content: Texts, name }),
    z.object({ role: z.literal('user'), content: UserContent, name }),
    z.object({
      role: z.literal('assistant'),
      content: AssistantContent.nullish(),
      tool_calls: z.array(CallOfTool).nullish(),
      name,
    }),
    z.object({ role: z.literal('tool'), content: Texts, tool_call_id: z.string(), name }),
  ],
  { error: 'must be a message: { "role": system, user, assistant or tool, "content": … }' },
);
type Message = z.infer<typeof Message>;

export const Messages = z.preprocess(
  (given) => (typeof given === 'string' ? [given] : given),
  z
    .array(
      z.preprocess((one) => (typeof one === 'string' ? { role: 'user', content: one } : one), Message),
      { error: 'must be a text, a list of texts, or a list of messages' },
    )
    .min(1, 'must hold a message'),
);

/** A message in OpenAI's format as the engine has it. */
export function messageOf(message: Message): ChatMessage {
  const named = message.name ? { name: message.name } : {};
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: message.content, ...named };
    case 'user':
      return { role: 'user', ...userContent(message.content), ...named };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content ?? '',
        ...(message.tool_calls?.length && { toolCalls: message.tool_calls.map(toolCallOf) }),
        ...named,
      };
    case 'tool':
      return { role: 'tool', content: message.content, toolCallId: message.tool_call_id, ...named };
  }
}

function userContent(given: z.infer<typeof UserContent>): {
  readonly content: string;
  readonly parts?: readonly MessagePart[];
} {
  if (typeof given === 'string') return { content: given };
  const parts = given.map(partOf);
  const content = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return parts.every(({ type }) => type === 'text') ? { content } : { content, parts };
}

function partOf(
  part: z.infer<typeof TextPart> | z.infer<typeof ImagePart> | z.infer<typeof FilePart>,
): MessagePart {
  if (part.type === 'text') return part;
  if (part.type === 'file') {
    const { file_data: data, file_id: $file, filename } = part.file;
    // The server replaces it with what it knows of the file, or refuses it.
    if (typeof $file === 'string') return { type: 'file', file: { $file, name: '', type: '', bytes: 0 } };
    return { type: 'file', data: data as string, ...(filename && { filename }) };
  }
  const { url, detail } = part.image_url;
  return { type: 'image', url, ...(detail && { detail }) };
}

function toolCallOf({ id, function: { name: tool, arguments: text } }: z.infer<typeof CallOfTool>): ToolCall {
  return { id, name: tool, arguments: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return parseKeepingDigits(text);
  } catch {
    return text;
  }
}
