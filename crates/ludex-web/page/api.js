// Commands to the server.

export async function ask(command, values = {}) {
  let response;
  try {
    response = await fetch('/api', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ command, ...values }),
    });
  } catch {
    throw new Error('The server does not answer. Is it still running?');
  }
  const text = await response.text();
  let answer;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error(text.trim() || `The server answers ${response.status}`);
  }
  if (!response.ok) throw new Error(answer.error ?? `The server answers ${response.status}`);
  return answer;
}
