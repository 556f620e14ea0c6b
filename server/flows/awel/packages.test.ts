import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { manifestTexts } from './manifest-texts.ts';
import { filesOfZip, flowsIn, isPackedFile, MAX_FILES } from './packages.ts';
import { originalFlow } from './testing/original-flow.ts';

const drawing = originalFlow({ nodes: { t: { name: 'agent_trigger' } } })['flow_data'];
const manifest = `# A package
[flow]
label = "Hello \\"you\\""   # shown
name = 'hello_flow'
description = "Says hello."
definition_type = "json"

[python_config]
[json_config]
file_path = "definition/flow_definition.json"
`;

function packed(files: Record<string, unknown>) {
  return flowsIn(
    Object.entries(files).map(([path, content]) => ({
      path,
      bytes: strToU8(typeof content === 'string' ? content : JSON.stringify(content)),
    })),
  );
}

describe('the flows of a folder', () => {
  it('are those of packages, with the names of their manifests', () => {
    const found = packed({
      'hello/dbgpts.toml': manifest,
      'hello/hello_flow/definition/flow_definition.json': drawing,
    });
    const about = { name: 'hello_flow', label: 'Hello "you"', description: 'Says hello.' };
    expect(found).toEqual({
      flows: [
        { file: 'hello/hello_flow/definition/flow_definition.json', flow: { ...about, flow_data: drawing } },
      ],
      left: [],
    });
  });

  it('are exports and bare drawings, which are named after their files or folders', () => {
    const { flows } = packed({
      'chats/definition/flow_definition.json': drawing,
      'export.json': { flow: { name: 'mine', flow_data: drawing } },
      'plain.JSON': drawing,
      'wrapped.json': { flow: drawing },
    });
    expect(flows.map(({ flow }) => (flow as { name: string }).name)).toEqual([
      'chats',
      'mine',
      'plain',
      'wrapped',
    ]);
  });

  it('are all imported; everything else is left out with a reason', () => {
    const python = manifest.replace('"json"', '"python"');
    const { flows, left } = packed({
      'a/dbgpts.toml': python,
      'b/dbgpts.toml': '[operator]\nname = "op"\n',
      'broken.json': '{"nodes": ',
      'config.json': { name: 'x' },
      'n8n.json': { nodes: [], connections: {} },
      'weft.json': { format: 1, id: 'x', nodes: {}, edges: [] },
    });
    expect(flows).toEqual([]);
    expect(left.map(({ file, message }) => [file, message])).toEqual([
      ['a/dbgpts.toml', expect.stringContaining('The flow hello_flow is written in Python')],
      ['b/dbgpts.toml', expect.stringContaining('The operator op is written in Python')],
      ['broken.json', expect.stringContaining('JSON')],
      ['config.json', expect.stringContaining('no flow')],
      ['n8n.json', expect.stringContaining('n8n')],
      ['weft.json', expect.stringContaining('flow file of Weft')],
    ]);
  });

  it('are searched for in files that are not hidden and belong to no installed package', () => {
    expect(['a/b.json', 'dbgpts.toml', 'x.JSON'].filter((path) => !isPackedFile(path))).toEqual([]);
    const others = ['node_modules/a.json', '.git/a.json', '__MACOSX/._a.json', 'a.toml', 'a.py'];
    expect(others.filter(isPackedFile)).toEqual([]);
  });
});

describe('a zip archive', () => {
  it('contains the files that an import reads', () => {
    const files = filesOfZip(zipSync({ 'a/b.json': strToU8('{}'), 'a/c.py': strToU8('x') }));
    expect(files.map(({ path }) => path)).toEqual(['a/b.json']);
  });

  it('is refused when it is damaged or has too many files', () => {
    const whole = zipSync({ 'a.json': strToU8('{"a": 1}') });
    expect(() => filesOfZip(whole.subarray(0, 30))).toThrow(/damaged/);
    const many = Array.from({ length: MAX_FILES + 1 }, (_, i) => [`${i}.json`, strToU8('1')]);
    expect(() => filesOfZip(zipSync(Object.fromEntries(many), { level: 0 }))).toThrow(/too large/);
    const large = zipSync({ 'a.json': new Uint8Array(5_000_001) });
    expect(() => filesOfZip(large)).toThrow(/too large/);
  });
});

it('a manifest provides its texts by section; an invalid line is skipped', () => {
  const toml = '[a]\nx = "1\\n2"\ny=\'c:\\d\'\nn = 5\nlist = ["z"]\n[b.c]\nx = "q\\e" # so\n';
  expect([...manifestTexts(toml)]).toEqual([
    ['a.x', '1\n2'],
    ['a.y', 'c:\\d'],
    ['b.c.x', 'q\\e'],
  ]);
});
