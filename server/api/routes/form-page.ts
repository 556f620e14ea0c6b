import type { FastifyInstance, FastifyRequest } from 'fastify';
import { allNodes } from '#engine/check';
import { ServiceError } from '../../base/errors/errors.ts';
import { FORM_METHOD, FORM_TRIGGER } from '../../flows/service/trigger-routes.ts';
import { draftLook, draftQuestionHtml, type Form, formOf } from '../forms/form.ts';
import { isFormType, readForm, sentIn } from '../forms/form-body.ts';
import { formHtml, noFormHtml, otherOriginHtml } from '../forms/form-html.ts';
import { freshOnce, onceOf } from '../forms/once.ts';
import { mayBeScripted, page, SENT, senderOf, sendForm, thankYou } from '../forms/send-form.ts';
import { FIELD } from '../../base/pages/fields.ts';
import { headersFor } from '../../base/pages/html.ts';
import { pairsToObject, parsePairs } from '../../base/requests/query-string.ts';
import { comesFromOurs } from '../../access/security/origin.ts';
import { pathBehind, queryOf } from '../triggers/address.ts';
import { discardUnheld } from '../triggers/input.ts';
import type { Context } from './context.ts';
import { addRoutes, defineRoute } from './define-route.ts';

const PREFIX = '/form';
const content = () => ({ 'text/html': undefined });

const show = defineRoute({
  method: 'GET',
  url: '/form/*',
  scope: 'public',
  servedAt: 'triggers',
  tag: 'Flows',
  summary:
    'Get the form of a live flow, a page for people. Fields of the query fill in fields of the same name.',
  guide: 'forms',
  content,
  async handle(ctx, { request, reply }) {
    const found = formAt(ctx, request);
    if (found === undefined) return page(reply.code(404), noFormHtml());
    const { form, address } = found;
    const query = queryOf(request.raw.url as string);
    if (query === SENT) return page(reply, thankYou(form, address), form);
    const given = Object.entries(pairsToObject(parsePairs(query)));
    const typed = Object.fromEntries(given.map(([name, value]) => [FIELD + name, value]));
    const once = await freshOnce(ctx, form);
    const filled = { address, once, typed, wasSent: false, scripted: mayBeScripted(form) };
    return page(reply, formHtml(form, filled), form);
  },
});

const send = defineRoute({
  method: 'POST',
  url: '/form/*',
  scope: 'public',
  servedAt: 'triggers',
  tag: 'Flows',
  summary: 'Send the form, which starts its flow; the answer is a page.',
  guide: 'forms',
  uploads: ['application/x-www-form-urlencoded', 'multipart/form-data'],
  content,
  status: 303,
  errors: ['unsupported_media_type', 'rate_limited', 'uploads_full', 'disk_low'],
  /** Pages of other sites must not send forms for their visitors. */
  beforeBody(ctx, request, reply) {
    if (formAt(ctx, request) === undefined) return page(reply.code(404), noFormHtml());
    if (!comesFromOurs(request, ctx.config)) return page(reply.code(403), otherOriginHtml());
    if (isFormType(request.headers['content-type'])) return undefined;
    throw new ServiceError(
      'unsupported_media_type',
      'Send the form of the page (application/x-www-form-urlencoded or multipart/form-data); programs use an HTTP trigger.',
    );
  },
  async handle(ctx, { request, reply }) {
    discardUnheld(ctx.files, request, reply);
    const found = formAt(ctx, request);
    if (found === undefined) return page(reply.code(404), noFormHtml());
    let once: string | undefined;
    const who = async (typed: Readonly<Record<string, string>>) => {
      once = await onceOf(ctx, found.form, typed);
      return senderOf(found.form, once);
    };
    const sent = await sentIn(request.body, found.form.fields, { uploads: ctx.uploads, who });
    return sendForm(ctx, { ...found, ...sent, once, request, reply });
  },
});

/** The form of a flow that is being drawn, for a frame in the editor. */
export const formPreview = [
  defineRoute({
    method: 'GET',
    url: '/api/v1/flows/:id/forms/:node',
    scope: 'flows:read',
    tag: 'Flows',
    summary: 'Get the page of a form, or of a question to people, as it is being drawn; it cannot be sent.',
    guide: 'forms',
    content,
    errors: ['flow_not_found', 'not_found'],
    async handle(ctx, { reply, params: { id, node } }) {
      const { flow } = await ctx.flows.get(id);
      const nodes = flow ? allNodes(flow) : {};
      const found = Object.hasOwn(nodes, node) ? nodes[node] : undefined;
      const params = found?.params ?? {};
      const framed = reply.headers(headersFor({ framedBy: ["'self'"] }));
      if (found?.operator === 'human.form')
        return framed.send(draftQuestionHtml(id, node, params, new Date(ctx.host.now()).toISOString()));
      if (found?.operator !== FORM_TRIGGER)
        throw new ServiceError('not_found', `${id} has no form \`${node}\`.`);
      const html = formHtml(draftLook(params), {
        address: '',
        once: '',
        typed: {},
        wasSent: false,
      });
      return framed.send(html);
    },
  }),
];

/** `/form/<path>`: the forms of live flows. No session counts here, and no cookie is set. */
export default async function formPages(app: FastifyInstance, ctx: Context): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest) =>
    readForm(request, formAt(ctx, request)?.form.fields ?? [], ctx),
  );
  addRoutes(app, ctx, [show, send]);
}

function formAt({ triggers }: Context, { raw }: FastifyRequest): { form: Form; address: string } | undefined {
  const found = triggers.find(FORM_METHOD, pathBehind(raw.url as string, PREFIX));
  return found && { form: formOf(found.route), address: PREFIX + found.route.path };
}
