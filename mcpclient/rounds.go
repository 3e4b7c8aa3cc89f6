//lint:file-ignore SA1019 roots are deprecated since 2026-07-28, not gone, and what this program is about

package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits of a call that needs several rounds.
const (
	maxRounds     = 10
	maxInputs     = 64 // input requests in one result
	maxBusyRounds = 3  // results that ask for nothing but another try
)

// rounds makes a call of revision 2026-07-28 and answers the input requests in
// its results ("Multi Round-Trip Requests"), by the same way as roots/list. The
// SDK's own loop is switched off, because it would answer from its root set
// without asking the host.
func (c *connection) rounds(ctx context.Context, next mcp.MethodHandler, method string, req mcp.Request) (mcp.Result, error) {
	busy := 0
	for range maxRounds {
		res, err := next(ctx, method, req)
		if err != nil {
			return res, err
		}
		requests, state := inputs(res)
		if requests == nil {
			return res, nil
		}
		if len(requests) == 0 {
			if busy++; busy >= maxBusyRounds {
				return nil, errors.New("the server is busy: try again later")
			}
		}
		responses, err := c.fulfil(ctx, requests)
		if err != nil {
			return nil, err
		}
		if req, err = withInputs(req, responses, state); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("the server asked for more input %d times in a row", maxRounds)
}

// inputs returns what a result asks for, nil if it is a final one.
func inputs(res mcp.Result) (mcp.InputRequestMap, string) {
	switch r := res.(type) {
	case *mcp.CallToolResult:
		return r.InputRequests, r.RequestState
	case *mcp.GetPromptResult:
		return r.InputRequests, r.RequestState
	case *mcp.ReadResourceResult:
		return r.InputRequests, r.RequestState
	}
	return nil, ""
}

// readyInput is the answer to one roots input request.
type readyInput struct {
	*mcp.ListRootsResult
	json []byte
}

// MarshalJSON implements [json.Marshaler].
func (r *readyInput) MarshalJSON() ([]byte, error) { return r.json, nil }

// fulfil answers the input requests of one result. Roots are asked of the host
// once, however often they occur.
func (c *connection) fulfil(ctx context.Context, requests mcp.InputRequestMap) (mcp.InputResponseMap, error) {
	if len(requests) > maxInputs {
		return nil, fmt.Errorf("the server asked for %d inputs at once; the limit is %d", len(requests), maxInputs)
	}
	responses := make(mcp.InputResponseMap, len(requests))
	var roots *readyInput
	for key, r := range requests {
		switch p := r.(type) {
		case *mcp.ListRootsParams:
			if roots == nil {
				a, err := c.ask(ctx)
				if err != nil {
					return nil, fmt.Errorf("the server wanted roots: %w", err)
				}
				a.sent(nil)
				roots = &readyInput{&mcp.ListRootsResult{}, a.exposure.JSON}
			}
			responses[key] = roots
		case *mcp.ElicitParams:
			answer, err := c.elicit(ctx, p)
			if err != nil {
				return nil, err
			}
			responses[key] = answer
		default: // sampling has no polite no
			return nil, errors.New("the server wanted to use a language model, which Roots Manager has none of")
		}
	}
	return responses, nil
}

// elicit answers one question for values. Only forms are answered.
func (c *connection) elicit(ctx context.Context, p *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	if c.s.opts.Elicit == nil || (p.Mode != "" && p.Mode != "form") {
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	schema, err := json.Marshal(p.RequestedSchema)
	if err != nil {
		return nil, fmt.Errorf("the server's question cannot be read: %w", err)
	}
	values, ok := c.s.opts.Elicit(ctx, p.Message, schema)
	if !ok {
		return &mcp.ElicitResult{Action: "decline"}, nil
	}
	return &mcp.ElicitResult{Action: "accept", Content: values}, nil
}

// withInputs returns the request of the next round, on a copy: the params
// belong to the caller. The state goes back as it came.
func withInputs(req mcp.Request, responses mcp.InputResponseMap, state string) (mcp.Request, error) {
	cs, ok := req.GetSession().(*mcp.ClientSession)
	if !ok {
		return nil, fmt.Errorf("a request of an unknown session %T", req.GetSession())
	}
	var params mcp.Params
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParams:
		q := *p
		q.InputResponses, q.RequestState = responses, state
		params = &q
	case *mcp.GetPromptParams:
		q := *p
		q.InputResponses, q.RequestState = responses, state
		params = &q
	case *mcp.ReadResourceParams:
		q := *p
		q.InputResponses, q.RequestState = responses, state
		params = &q
	default:
		return nil, fmt.Errorf("a request with unknown params %T", p)
	}
	return &mcp.ClientRequest[mcp.Params]{Session: cs, Params: params}, nil
}

// structured returns what a tool gave as structured content, nil for none.
func structured(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("the tool's structured content cannot be read: %w", err)
	}
	return data, nil
}
