import { z } from 'zod';
import { ChatBody } from '#shared/chat-request.ts';
import { Conversation, ConversationListQuery, ConversationPage } from '#shared/conversation.ts';
import type { RouteGroup } from '../description.ts';

const Usage = z.object({
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
});

const Completion = z.object({
  id: z.string().describe('The conversation.'),
  object: z.literal('chat.completion'),
  created: z.int().describe('Unix seconds.'),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.looseObject({ role: z.literal('assistant'), content: z.string() }),
      finish_reason: z.enum(['stop', 'length', 'tool_calls']),
    }),
  ),
  usage: Usage,
});

const Model = z.looseObject({ id: z.string(), object: z.literal('model') });

const chunks = z
  .string()
  .describe(
    'Lines `data: <chunk as JSON>`; the last is `data: [DONE]`. An error comes as a chunk with `error`.',
  );

const onTheWay = [
  'invalid_chat_mode',
  'invalid_chat_param',
  'chat_mode_not_offered',
  'model_not_found',
  'app_not_found',
  'flow_not_found',
  'flow_not_chat',
  'agent_budget',
  'overloaded',
  'draining',
] as const;

const Rpc = z.looseObject({ jsonrpc: z.literal('2.0') });

export const chat: RouteGroup = {
  tag: 'Chat',
  routes: {
    'POST /api/v2/chat/completions': {
      summary: 'Chats with a model, an app or a flow.',
      guide: 'chat',
      body: ChatBody,
      content: { 'application/json': Completion, 'text/event-stream': chunks },
      errors: onTheWay,
    },
    'GET /api/v2/chat/completions/:id': {
      summary:
        'Goes on with the streamed answer of a run, behind `Last-Event-ID`; the chat must have sent `X-Weft-Resume`.',
      guide: 'chat',
      content: { 'text/event-stream': chunks },
      errors: ['run_not_found', 'stream_not_kept', 'stream_gap'],
    },
    'GET /api/v2/models': {
      summary: 'What one can chat with: models, apps, and flows with a chat trigger.',
      data: z.array(Model),
    },
    'GET /api/v2/models/:id': {
      summary: 'One of them.',
      content: { 'application/json': Model },
      errors: ['model_not_found'],
    },
    'POST /api/v1/chat/:id/stop': {
      summary: 'Stops what goes on in a conversation; what was said stays.',
      data: z.object({ stopped: z.int().describe('How many answers were stopped.') }),
    },
    'GET /api/v1/chat/conversations': {
      summary: 'The caller’s conversations, the one used last first.',
      query: ConversationListQuery,
      data: ConversationPage,
    },
    'GET /api/v1/chat/conversations/:id': {
      summary: 'One with its messages.',
      data: Conversation,
      errors: ['conversation_not_found'],
    },
    'DELETE /api/v1/chat/conversations/:id': {
      summary: 'Removes one.',
      data: z.null(),
      errors: ['conversation_not_found'],
    },
    'POST /mcp': {
      summary: 'Live flows as tools of the Model Context Protocol, over Streamable HTTP.',
      body: Rpc,
      content: { 'application/json': Rpc, 'text/event-stream': undefined },
    },
    'GET /mcp': {
      summary: 'Always refused: this server opens no stream of its own.',
      errors: ['method_not_allowed'],
    },
    'DELETE /mcp': { summary: 'Always refused: there is no session to end.', errors: ['method_not_allowed'] },
  },
};
