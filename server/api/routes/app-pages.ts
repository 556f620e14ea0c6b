import { z } from 'zod';
import { CLOSED_PAGE } from '#shared/public-page.ts';
import { conversationPage } from '../../chat/service/conversations.ts';
import { pageOwner } from '../../chat/service/page-form.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { audit } from '../../access/security/audit.ts';
import { appOf } from './app-actions.ts';
import { defineRoute } from './define-route.ts';

const conversation = () => import('#shared/conversation.ts');
const Settings = async () => (await import('#shared/public-page.ts')).PublicPage;

/** Actions of the owner on the public page of an app. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/apps/:app_code/page',
    scope: 'apps:read',
    tag: 'Apps',
    summary: 'Get the settings of the public chat page of an app.',
    guide: 'chat',
    answer: Settings,
    errors: ['app_not_found'],
    async handle(ctx, { params: { app_code } }) {
      await appOf(ctx, app_code);
      return { ...CLOSED_PAGE, ...ctx.pages.get(app_code) };
    },
  }),

  // Opening a page lets strangers spend the cost of the app's models.
  defineRoute({
    method: 'PUT',
    url: '/api/v1/apps/:app_code/page',
    scope: 'flows:publish',
    tag: 'Apps',
    summary: 'Open or close the public chat page of an app, and change its settings.',
    guide: 'chat',
    body: Settings,
    answer: Settings,
    errors: ['app_not_found', 'storage_failed'],
    async handle(ctx, { request, params: { app_code }, body }) {
      const { app_name: name } = await appOf(ctx, app_code);
      await ctx.pages.set(app_code, body);
      const { open, origins } = body;
      audit(ctx, request, 'public page of an app changed', { app: app_code, name, open, origins });
      return body;
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/apps/:app_code/page/conversations',
    scope: 'flows:publish',
    tag: 'Apps',
    summary: 'List the conversations of the public chat page of an app, most recently used first.',
    guide: 'chat',
    query: async () => (await conversation()).ConversationListQuery,
    answer: async () => (await conversation()).ConversationPage,
    errors: ['app_not_found'],
    async handle(ctx, { params: { app_code }, query }) {
      await appOf(ctx, app_code);
      return conversationPage(ctx.conversations, pageOwner(app_code), query);
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/apps/:app_code/page/conversations/:id',
    scope: 'flows:publish',
    tag: 'Apps',
    summary: 'Delete a conversation of the public chat page of an app, with its files.',
    guide: 'chat',
    answer: () => z.null(),
    errors: ['app_not_found', 'conversation_not_found', 'storage_failed'],
    async handle(ctx, { request, params: { app_code, id } }) {
      await appOf(ctx, app_code);
      const isRemoved = await ctx.conversations.remove(pageOwner(app_code), id);
      if (!isRemoved) throw new ServiceError('conversation_not_found');
      audit(ctx, request, 'conversation removed', { app: app_code, conversation: id });
      return null;
    },
  }),
];
