import { FormField, fieldsFault, schemaOfFields } from '#shared/form-field.ts';
import { isRecord, type JsonSchema } from '#shared/json.ts';
import type { CallRate } from '#shared/rate.ts';
import { filledText, type WaitField, waitFields } from '#shared/wait-form.ts';
import { waitPage } from '../../execution/waits/wait-html.ts';
import { isDurable } from '../../flows/service/is-durable.ts';
import type { TriggerRoute } from '../../flows/service/trigger-table.ts';
import { createRequestModel, type RequestModel } from '../../base/requests/request-model.ts';

/** The look of a form, from its trigger's params. */
export interface FormLook {
  readonly title: string;
  /** Markdown. */
  readonly text: string | undefined;
  readonly fields: readonly WaitField[];
  readonly button: string;
  /** The code of the language of these texts. */
  readonly lang: string;
}

/** A form that is live, prepared once. */
export interface Form extends FormLook {
  readonly route: TriggerRoute;
  /** Checks the entered values. */
  readonly model: RequestModel;
  readonly after: 'message' | 'result' | 'redirect';
  /** Markdown. */
  readonly message: string;
  readonly redirect: string | undefined;
  readonly rate: CallRate;
  /** Sites whose pages may show it in a frame. */
  readonly origins: readonly string[];
  /** Its runs outlive the process. */
  readonly durable: boolean;
}

const prepared = new WeakMap<TriggerRoute, Form>();

export function formOf(route: TriggerRoute): Form {
  const known = prepared.get(route);
  if (known) return known;
  // The operator's schema has checked them, and the flow's check has found no fault.
  const params = (route.flow.compiled.plans.get(route.node)?.params ?? {}) as unknown as FormParams;
  const { after, message, redirect, rate, origins } = params;
  const form = {
    ...lookOf(params),
    route,
    model: createRequestModel(schemaOf(params), []),
    after,
    message,
    redirect,
    rate,
    origins,
    durable: isDurable(route.flow, route.node),
  };
  prepared.set(route, form);
  return form;
}

interface FormParams
  extends Pick<
    Form,
    'title' | 'text' | 'button' | 'lang' | 'after' | 'message' | 'redirect' | 'rate' | 'origins'
  > {
  readonly fields: readonly FormField[];
  readonly schema?: JsonSchema;
}

type LookParams = Pick<FormParams, 'title' | 'text' | 'button' | 'lang' | 'fields' | 'schema'>;

function lookOf(params: LookParams): FormLook {
  const { title, text, button, lang } = params;
  return { title, text, button, lang, fields: waitFields(schemaOf(params)) };
}

function schemaOf({ fields, schema }: Pick<FormParams, 'fields' | 'schema'>): JsonSchema {
  return schema ?? schemaOfFields(fields);
}

type Draft = Readonly<Record<string, unknown>>;

/** The look of a form that is being drawn, from its params in the file; params that are not valid yet are left out. */
export function draftLook(params: Draft): FormLook {
  return {
    title: filledText(params['title']) ?? 'Untitled form',
    text: filledText(params['text']),
    button: filledText(params['button']) ?? 'Send',
    lang: filledText(params['lang']) ?? 'en',
    fields: waitFields(draftSchema(params)),
  };
}

/** The page of a question to people that is being drawn in the same way; its texts are not evaluated. */
export function draftQuestionHtml(flow: string, node: string, params: Draft, at: string): string {
  const [text, who] = [filledText(params['text']), filledText(params['who'])];
  const ask = {
    kind: 'form' as const,
    schema: draftSchema(params),
    ...(text !== undefined && { text }),
    ...(who !== undefined && { who }),
  };
  const title = filledText(params['title']) ?? 'Untitled question';
  return waitPage({ id: '', run: '', flow, node, status: 'open', title, ask, openedAt: at }, '');
}

function draftSchema(params: Draft): JsonSchema {
  const given = Array.isArray(params['fields']) ? (params['fields'] as unknown[]) : [];
  const fields = given.flatMap((field) => {
    const read = FormField.safeParse(field);
    return read.success && fieldsFault([read.data]) === undefined ? [read.data] : [];
  });
  const { schema } = params;
  return isRecord(schema) ? schema : schemaOfFields(fields);
}
