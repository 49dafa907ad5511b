package simenv_test

import (
	"fmt"

	"github.com/exodeck/exodeck/simenv"
	"github.com/exodeck/exodeck/simenv/miniworld"
	"github.com/exodeck/exodeck/simenv/pyvalue"
)

func Example() {
	worlds, err := simenv.LoadWorlds(miniworld.FS)
	if err != nil {
		fmt.Println(err)
		return
	}
	world, err := worlds.For("en")
	if err != nil {
		fmt.Println(err)
		return
	}
	env, err := world.NewEnv([]string{"BaseApi", "ReminderApi"}, pyvalue.None{})
	if err != nil {
		fmt.Println(err)
		return
	}
	told := env.Execute([]simenv.Call{
		{Name: "delete_reminder", Args: pyvalue.DictOf("reminder_id", pyvalue.NewInt(1))},
		{Name: "delete_reminder", Args: pyvalue.DictOf("id", pyvalue.NewInt(1))},
	})
	for _, observation := range told.Items {
		fmt.Println(observation)
	}
	// Output:
	// {'status': True, 'message': 'Reminder ID 1 was successfully deleted.'}
	// Error during execution: ReminderApi.delete_reminder() got an unexpected keyword argument 'id'
}

func ExampleMethods() {
	for _, m := range simenv.Methods() {
		if m.Class == "ReminderApi" {
			fmt.Println(m.Signature())
		}
	}
	// Output:
	// view_reminder_by_title(title: str)
	// add_reminder(title: str, description: str, time: datetime)
	// delete_reminder(reminder_id: int)
	// view_all_reminders()
	// mark_as_notified(reminder_id: int)
	// search_reminders(keyword: str)
}

func ExampleWorlds_RunLine() {
	worlds, err := simenv.LoadWorlds(miniworld.FS)
	if err != nil {
		fmt.Println(err)
		return
	}
	answer, err := worlds.RunLine([]byte(`{"id":"a","language":"en","involved_classes":["BaseApi"],"calls":[{"name":"turn_on_wifi","args":{}}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s\n", answer)
	// Output:
	// {"id": "a", "observations": [{"status": true, "message": "Wi-Fi has been turned on"}], "rendered": ["[{'status': True, 'message': 'Wi-Fi has been turned on'}]"], "states_after": [{"BaseApi": {"wifi": true, "logged_in": true}}]}
}
