import { documentsContract } from './hostile.contract.ts';
import { HOSTILE } from './testing/hostile-documents.ts';

documentsContract(Object.keys(HOSTILE));
