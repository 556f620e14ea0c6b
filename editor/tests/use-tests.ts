import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { FlowTestReport, RunTestsBody } from '#shared/flow-test-api.ts';
import { listTests, runTests } from '../api/flow-tests.ts';
import { coverageMarks } from '../model/drawing/coverage-marks.ts';
import { useSession, useSync } from '../session/session.tsx';
import { mergeReports, resultText } from './results.ts';

/** The tests of the open flow, their last results, and running them. */
export function useTests() {
  const session = useSession();
  const queries = useQueryClient();
  const flow = useSync((sync) => sync.record.id);
  const list = useQuery({ queryKey: ['tests', flow], queryFn: () => listTests(flow) });
  const reportKey = ['test-report', flow];
  // Only `run` fills it; it outlives the panel, which is unmounted with its tab.
  const { data: report } = useQuery<FlowTestReport>({
    queryKey: reportKey,
    queryFn: () => runTests(flow, {}),
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const [running, setRunning] = useState<Partial<RunTestsBody>>();

  async function run(body: Partial<RunTestsBody>): Promise<void> {
    const { editor, runs, saver, actions, ui } = session.today ?? session;
    if (editor.getState().saveState !== 'saved' && !(await saver.save())) return;
    setRunning(body);
    try {
      const news = await runTests(flow, body);
      const merged = mergeReports(queries.getQueryData<FlowTestReport>(reportKey), news, body);
      queries.setQueryData(reportKey, merged);
      if (runs.getState().coverage) runs.setState({ coverage: coverageMarks(merged.coverage) });
      ui.setState({ announcement: resultText(news) });
      if (body.update) await queries.invalidateQueries({ queryKey: ['tests', flow] });
    } catch (error) {
      actions.toast(error instanceof Error ? error.message : String(error), 'error');
    } finally {
      setRunning(undefined);
    }
  }
  return { flow, list, report, running, run };
}
