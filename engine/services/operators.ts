import { z } from 'zod';
import type { OperatorInfo } from '#shared/catalog.ts';
import type { ServiceFile } from '#shared/service-file.ts';
import type { ServiceTrigger } from '#shared/service-trigger.ts';
import { type Call, type Operator, optionalInput, output, type SourceCall } from '../base/operator.ts';
import type { ExprTools } from '../expr/index.ts';
import { compiledSchema } from '../flow/schemas.ts';
import { describeService } from './describe.ts';
import { createMaker, type Maker } from './making.ts';
import type { Values } from './request.ts';
import { runCall } from './run.ts';
import { listenOf } from './trigger.ts';
import { calledSource, listenForCalls } from './webhook.ts';

/** The operators of a service, by type; one function runs all calls. */
export function serviceOperators(file: ServiceFile, tools: ExprTools): Map<string, Operator> {
  const maker = createMaker(tools);
  const described = describeService(file);
  const operators = new Map<string, Operator>();
  for (const call of file.calls) {
    const info = described[`${file.id}.${call.id}`];
    if (info !== undefined)
      operators.set(info.type, {
        ...factsOf(info),
        inputs: { in: optionalInput() },
        run: (by: Call) => runCall(userOf(by), call, by.params as Values),
      });
  }
  for (const trigger of file.triggers) {
    const info = described[`${file.id}.${trigger.id}`];
    if (info !== undefined)
      operators.set(info.type, { ...factsOf(info), inputs: {}, ...sourceOf(file, trigger, maker) });
  }
  return operators;

  function userOf(by: Call) {
    return {
      file,
      maker,
      asker: by.asker,
      signal: by.signal,
      idempotencyKey: by.idempotencyKey,
      service: by.service.bind(by),
      random: () => by.random(),
      now: () => by.now(),
      log: by.log.bind(by),
    };
  }
}

/** How a trigger starts runs: it asks, or it is called. */
function sourceOf(file: ServiceFile, trigger: ServiceTrigger, maker: Maker) {
  const { webhook } = trigger;
  if (webhook === undefined) return { listen: listenOf(file, trigger, maker) };
  const called = { file, trigger, webhook, maker };
  return {
    listen: (source: SourceCall) => listenForCalls(called, source),
    called: calledSource(called),
  };
}

function factsOf(info: OperatorInfo) {
  const { title, doc, icon, effects, trigger, idempotent, examples } = info;
  return {
    title,
    doc,
    icon,
    params: compiledSchema(info.params) ?? z.looseObject({}),
    outputs: { out: output() },
    effects,
    trigger,
    idempotent,
    examples,
  };
}
