import { program } from "../../program.mjs";

export const dynamic = "force-dynamic";

export async function GET() {
  const workerPath = process.env.WORKER_PATH;
  return new Response(await program(workerPath === undefined ? {} : { workerPath }));
}
