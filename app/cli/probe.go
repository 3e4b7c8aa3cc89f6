package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"rootsmanager/mcpclient/probe"
)

func (p *program) probeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "probe",
		Short: "Run the built-in MCP server on standard input and output",
		Long: "An MCP server that asks its client for roots and tells, by its tools list_roots and\n" +
			"check_path, what it would work in. It is meant to be started by an MCP client; it reads no file.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.keys.present() {
				p.say("This is an MCP server: it waits for an MCP client on its standard input. End it with Ctrl+D.")
			}
			if err := probe.Run(cmd.Context(), p.In, p.Out, p.Version); err != nil {
				return fmt.Errorf("the probe server ended: %w", err)
			}
			return nil
		},
	}
}
