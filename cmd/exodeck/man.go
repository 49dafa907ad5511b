package main

import (
	"fmt"

	"github.com/urfave/cli/v2"
)

func manCommand(e env) *cli.Command {
	return leaf("man", "print the manual page", "", 0, nil, func(c *cli.Context) error {
		page, err := c.App.ToManWithSection(1)
		if err != nil {
			return fmt.Errorf("making the manual page: %w", err)
		}
		_, err = fmt.Fprintln(e.stdout, page)
		return err
	})
}
