import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { SHOP_PATH, shopFolder } from '../../base/files/data-folder.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { audit } from '../../access/security/audit.ts';
import { pathBehind } from '../triggers/address.ts';
import { defineRoute } from './define-route.ts';

const shapes = () => import('#shared/shop.ts');
const shop = () => import('../../integrations/shop/shop.ts');
const mailsOf = () => import('../../integrations/connections/kinds/smtp/kept-mails.ts');

/** The small shop: data, a handbook, a mailbox and a service, so that templates run without an account. */
const management = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/shop',
    scope: 'flows:read',
    tag: 'Administration',
    summary: 'Get whether the small shop is switched on, and what is in its mailbox.',
    guide: 'templates',
    answer: async () => (await shapes()).ShopState,
    handle: async (ctx) => (await shop()).shopState(ctx),
  }),

  defineRoute({
    method: 'PUT',
    url: '/api/v1/shop',
    scope: 'admin',
    tag: 'Administration',
    summary:
      'Switch the small shop on or off. It makes the connections `shop` (a database), `shop_mail` (a mailbox: nothing is sent) and `shop_service` (HTTP), and the knowledge space `shop_handbook`; off removes them with their data.',
    guide: 'templates',
    body: async () => (await shapes()).ShopBody,
    answer: async () => (await shapes()).ShopState,
    errors: ['shop_name_taken', 'shop_not_here', 'storage_failed'],
    async handle(ctx, { request, body: { on } }) {
      const { openShop, closeShop, shopState } = await shop();
      await (on ? openShop : closeShop)(ctx);
      await ctx.flows.worldChanged('connections');
      audit(ctx, request, on ? 'small shop switched on' : 'small shop switched off', {});
      return shopState(ctx);
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/shop/mails',
    scope: 'runs:read',
    tag: 'Administration',
    summary: 'List the mails that connections have kept in place of sending them, newest first.',
    guide: 'templates',
    answer: async () => z.array((await shapes()).KeptMail),
    handle: async ({ config }) => (await mailsOf()).readKeptMails(join(shopFolder(config), 'mails')),
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/shop/mails',
    scope: 'admin',
    tag: 'Administration',
    summary: 'Delete all mails that were kept.',
    answer: () => z.null(),
    async handle(ctx, { request }) {
      await rm(join(shopFolder(ctx.config), 'mails'), { recursive: true, force: true });
      audit(ctx, request, 'kept mails removed', {});
      return null;
    },
  }),
];

/** The HTTP service of the shop: what flows reach through its connection, from this machine, while the shop is switched on. */
const service = (['GET', 'POST'] as const).map((method) =>
  defineRoute({
    method,
    url: `${SHOP_PATH}/*`,
    scope: 'public',
    tag: 'Platform',
    summary: `Ask the HTTP service of the small shop (${method}); it answers its own connection alone.`,
    guide: 'templates',
    content: () => ({ 'application/json': undefined }),
    errors: ['not_found', 'unauthorized'],
    async handle(ctx, { request, reply }) {
      const { isOpen, serviceAnswer } = await shop();
      if (!isLoopback(request.raw.socket.remoteAddress) || !isOpen(ctx.config))
        throw new ServiceError('not_found');
      const path = pathBehind(request.raw.url as string, SHOP_PATH);
      const { authorization = '' } = request.headers;
      const answer = await serviceAnswer(ctx, { method, path, authorization });
      if (answer === undefined)
        throw new ServiceError('not_found', `The small shop has no ${method} ${path}.`);
      return reply.type('application/json').send(JSON.stringify(answer));
    },
  }),
);

const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && /^(?:::ffff:)?127\.|^::1$/.test(address);

export default [...management, ...service];
