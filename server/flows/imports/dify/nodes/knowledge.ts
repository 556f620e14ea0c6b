import { textOf } from '../app.ts';
import { type Here, type Mapping, simple } from '../here.ts';
import { Unmapped } from '../unmapped.ts';
import { isNothing } from '../settings.ts';
import { braces } from '../write.ts';

/** The name of the space that takes the place of a data set, of which a file has only the id. */
export function spaceOf(here: Here, dataset: string): string {
  const short = dataset.replaceAll(/[^A-Za-z0-9-]/g, '').slice(0, 12) || 'data';
  const name = `dify-${short.toLowerCase()}`;
  here.need({
    kind: 'knowledge',
    name,
    message: `Make the knowledge space ${name} and load the documents of the data set ${dataset.slice(0, 60)} into it.`,
  });
  return name;
}

export const knowledgeRetrieval: Mapping = (here) => {
  const { settings } = here;
  const selector = settings.selector('query_variable_selector');
  if (selector.length === 0) throw new Unmapped('it names no variable that it searches for');
  const spaces = spacesOf(here);
  const limit = limitOf(here);
  here.note('Documents are ranked by words and meaning together.');
  const value = braces(`string(${here.value(selector).expr})`);
  const query = here.add('question', { operator: 'core.map', params: { value } });
  const id = here.main({ operator: 'knowledge.retrieve', params: { spaces, limit } }, () => ({
    out: [],
    text: '',
  }));
  here.wire(`${query}.out`, `${id}.in`);
  return simple(`${query}.in`, `${id}.out`, ([name, ...rest]) => {
    if (name === 'passages') return { expr: `(nodes.${id}?.text ?? "")`, kind: 'text' };
    if (name !== 'result' || rest.length > 0) return undefined;
    return { expr: `(nodes.${id}?.out ?? []).map((hit) => (${HIT}))`, kind: 'list' };
  });
};

/** A passage as Dify gives it. */
const HIT =
  '{ content: hit.text, title: hit.document.name, url: hit.document.url ?? "", metadata: { document_name: hit.document.name, score: hit.score } }';

function spacesOf(here: Here): string[] {
  const { settings } = here;
  const ids = settings.list('dataset_ids').map(textOf);
  const datasets = ids.filter((id) => id !== '');
  settings.ignore('datasets');
  if (datasets.length === 0) throw new Unmapped('it names no data set');
  if (datasets.length > 20) throw new Unmapped('it searches more than 20 data sets');
  const isPicked =
    settings.text('retrieval_mode') === 'single' && !isNothing(settings.get('single_retrieval_config'));
  if (isPicked && datasets.length > 1) here.note('All its data sets are searched; there, a model picks one.');
  const mode = settings.text('metadata_filtering_mode');
  if (mode !== '' && mode !== 'disabled') throw new Unmapped('it filters by metadata');
  settings.ignore('metadata_model_config', 'metadata_filtering_conditions', 'single_retrieval_config');
  return [...new Set(datasets.map((one) => spaceOf(here, one)))];
}

/** Settings that change the ranking in Dify. */
const RANKING = ['score_threshold', 'reranking_model', 'weights'];

function limitOf(here: Here): number {
  const multiple = here.settings.record('multiple_retrieval_config');
  const older = here.settings.record('retrieval_model');
  if (RANKING.some((name) => !isNothing(multiple[name])))
    here.note(
      'Weights, thresholds and rerankers of the search are left out; put Rerank behind it for the same effect.',
    );
  const top = Number(multiple['top_k'] ?? older['top_k'] ?? 4);
  return Number.isInteger(top) && top >= 1 && top <= 100 ? top : 4;
}
