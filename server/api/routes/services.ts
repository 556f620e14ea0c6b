import { z } from 'zod';
import { WeftError } from '#engine';
import type { ErrorCode } from '#shared/errors.ts';
import { audit } from '../../access/security/audit.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { defineRoute } from './define-route.ts';

const api = () => import('#shared/service-api.ts');
const adding = () => import('../../integrations/services/add-service.ts');

/** Bytes for a description as a JSON text, and for the fields around it. */
const BODY_LIMIT = 21_000_000;

/** `/api/v1/services`: files of data whose calls are operators. */
export default [
  defineRoute({
    method: 'GET',
    url: '/api/v1/services',
    scope: 'flows:read',
    tag: 'Platform',
    summary: 'List the services, with their calls and triggers.',
    answer: async () => z.array((await api()).ServiceInfo),
    async handle({ services }) {
      const { infoOf } = await adding();
      return (await services.list()).map(infoOf);
    },
  }),

  defineRoute({
    method: 'GET',
    url: '/api/v1/services/:id',
    scope: 'flows:read',
    tag: 'Platform',
    summary: 'Get the file of a service.',
    answer: async () => (await import('#shared/service-file.ts')).ServiceFile,
    errors: ['service_not_found', 'service_invalid'],
    handle: async ({ services }, { params: { id } }) => (await services.get(id)).file,
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/services/choices',
    scope: 'flows:publish',
    tag: 'Platform',
    summary:
      'List what there is to choose from for a param of a node, such as the channels of a workspace, from a call of its service. The connection must be granted to the flow. Answers are kept for a minute.',
    body: async () => (await api()).ChoicesBody,
    answer: async () => (await api()).ServiceChoices,
    errors: [
      'service_not_found',
      'invalid_request',
      'service_failed',
      'connection_missing',
      'connection_not_granted',
      'outbound_refused',
      'outbound_failed',
      'outbound_timeout',
    ],
    async handle({ services, host }, { body }) {
      const { findChoices } = await import('../../integrations/services/choices.ts');
      try {
        return await findChoices({ services, host }, body);
      } catch (error) {
        throw error instanceof WeftError ? new ServiceError(error.code as ErrorCode, error.message) : error;
      }
    },
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/services/read',
    scope: 'admin',
    tag: 'Platform',
    summary: 'Read the description of an API (OpenAPI 3.0 or 3.1, Google Discovery), and list its calls.',
    body: async () => (await api()).ServiceReading,
    answer: async () => (await api()).ServiceOffer,
    errors: [
      'service_invalid',
      'outbound_refused',
      'outbound_failed',
      'outbound_timeout',
      'outbound_invalid',
    ],
    bodyLimit: () => BODY_LIMIT,
    handle: async ({ providerHttp }, { body }) => (await adding()).offerOf(providerHttp, body),
  }),

  defineRoute({
    method: 'POST',
    url: '/api/v1/services',
    scope: 'admin',
    tag: 'Platform',
    summary: 'Add a service: calls of a description, or a file of a service.',
    body: async () => (await api()).ServiceAdding,
    answer: async () => (await api()).ServiceInfo,
    status: 201,
    errors: [
      'service_invalid',
      'service_exists',
      'storage_failed',
      'outbound_refused',
      'outbound_failed',
      'outbound_timeout',
      'outbound_invalid',
    ],
    bodyLimit: () => BODY_LIMIT,
    async handle(ctx, { request, body }) {
      const { providerHttp, services, host } = ctx;
      const { infoOf, serviceFor } = await adding();
      const file = await serviceFor(providerHttp, body, new Date(host.now()).toISOString().slice(0, 10));
      await services.put(file, { replaces: body.replaces });
      audit(ctx, request, 'service added', { service: file.id, calls: file.calls.length });
      return infoOf({ file, isShipped: false });
    },
  }),

  defineRoute({
    method: 'DELETE',
    url: '/api/v1/services/:id',
    scope: 'admin',
    tag: 'Platform',
    summary:
      'Remove a service that was added. Flows that are live go on with it until they are published again.',
    answer: () => z.null(),
    errors: ['service_not_found', 'storage_failed'],
    async handle(ctx, { request, params: { id } }) {
      await ctx.services.remove(id);
      audit(ctx, request, 'service removed', { service: id });
      return null;
    },
  }),
];
