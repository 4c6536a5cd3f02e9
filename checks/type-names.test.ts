import { testCheck } from './check-fixtures.ts';
import { typeNameProblems } from './type-names.ts';

testCheck('type names', typeNameProblems, [
  {
    rule: 'no two files of a workspace export types of the same name',
    files: {
      'server/queue/job.ts': 'export type Job = { id: string };',
      'server/lifecycle/job.ts': '\nexport interface Job {}',
      'server/worker/job.ts': 'export abstract class Job {}',
      'renderer/box.ts': 'export type Box = number;',
      'renderer/scenes/box.ts': 'export type Box<T> = T[];',
    },
    problems: [
      'server/lifecycle/job.ts:2: Job is also the name of a type in server/queue/job.ts',
      'server/worker/job.ts:1: Job is also the name of a type in server/queue/job.ts',
      'renderer/scenes/box.ts:1: Box is also the name of a type in renderer/box.ts',
    ],
  },
  {
    rule: 'another workspace, a re-export, a schema with its type and a local type may share it',
    files: {
      'contract/task.ts': 'export const Task = z.object({});\nexport type Task = {};',
      'contract/tasks.ts': "export type { Task } from './task.ts';",
      'server/tasks/task.ts': 'export type Task = {};\ntype Row = {};',
      'server/queue/queue.ts': 'type Task = {};\ntype Row = {};\n// export type Task = {};',
    },
    problems: [],
  },
]);
