import { expect, test } from 'vitest';
import { actorNamed } from '../../flows/service/testing/flow-fixture.ts';
import { startChatBed } from './testing/chat-bed.ts';

test('a kept answer has its whole run behind it, however many there are in a second, unless the flow asks for less', async () => {
  const bed = await startChatBed();
  const recordedOf = async (): Promise<unknown[]> => {
    const flow = { chat_mode: 'chat_flow', chat_param: 'greet' };
    const body = { model: 'm', messages: 'Ada', conv_uid: 'c-1', ...flow };
    const answers = await Promise.all(Array.from({ length: 4 }, () => bed.chat(body)));
    await Promise.all(answers.map((answer) => answer.text()));
    const runs = answers.map((answer) => bed.ctx.runs.get(answer.headers.get('x-weft-run') ?? ''));
    return (await Promise.all(runs)).map((run) => run?.recorded);
  };
  const all = [true, true, true, true];
  expect(await recordedOf()).toEqual(all);
  const { text, revision } = await bed.ctx.flows.get('greet');
  const less = JSON.stringify({ ...JSON.parse(text), settings: { record: 'summary' } });
  await bed.ctx.flows.save('greet', less, { revision, actor: actorNamed('test') });
  expect(await recordedOf()).toEqual(all.map(() => false));
});
