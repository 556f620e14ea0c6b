import { flowFixture } from './testing/flow-fixture.ts';
import { flowServiceContract } from './testing/flow-service.contract.ts';

flowServiceContract('the flow service over files', flowFixture);
